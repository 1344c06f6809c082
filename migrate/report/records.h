#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "migrate/ledger.h"
#include "store/store.h"

namespace berth::migrate::report_detail {

// What the operator's store remembers of a migration beyond the ledger's own rows.

/// Each time a runner took the migration up.
struct Taken {
  std::int64_t token = 0;
  std::string runner, program, hash, began_at;
  static Taken from(const store::Columns& c);
};

/// A state that a step run has had.
struct Past {
  int step = 0;
  std::int64_t attempt = 0;
  std::string state, at;
  std::int64_t token = 0;
  std::string runner;
  std::optional<std::string> push_id, proof, error;
  static Past from(const store::Columns& c);
};

struct PushRow {
  std::string push_id, kind, state, sent_at;
  std::optional<std::string> ended_at;
  std::int64_t token = 0;
  static PushRow from(const store::Columns& c);
};

struct ReportRow {
  std::string at, result, path, host_version, cli_path;
  static ReportRow from(const store::Columns& c);
};

/// One machine's part of it.
struct MachineRecords {
  LedgerMachine machine;
  std::vector<StepRun> rows;  // in step order
  std::vector<Past> history;
  std::vector<PushRow> pushes;
  std::vector<ReportRow> reports;
  std::optional<std::string> snapshot;  // as step 1 kept it, or the newest
};

Result<std::vector<Taken>> runs_of(store::Store& store, const Migration& migration);
Result<MachineRecords> records_of(store::Store& store, const Migration& migration, const LedgerMachine& machine,
                                  std::vector<StepRun> rows);

}  // namespace berth::migrate::report_detail
