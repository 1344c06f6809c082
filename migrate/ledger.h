#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "migrate/fleet_document.h"
#include "store/store.h"

namespace berth::migrate {

struct Migration {
  std::string id, fleet, document, hash, runner;
  std::int64_t token = 0;
  std::string opened_at;
  std::optional<std::string> closed_at;
  static Migration from(const store::Columns& c);
};

struct LedgerMachine {
  std::string name, machine_id;
  std::optional<std::string> set_aside;  // the reason
  static LedgerMachine from(const store::Columns& c);
};

/// One step of one machine. `proof` is what was observed once it is done, and what its gate found while it
/// runs.
struct StepRun {
  int step = 0;
  std::string machine;
  std::string state;  // pending, running, done, failed, backed_out
  std::int64_t attempt = 0;
  std::string push_id;
  std::optional<std::string> intended_at, ended_at, proof, error;
  static StepRun from(const store::Columns& c);
};

/// Who takes a migration up, with which lease and which program.
struct Taker {
  std::string runner;
  std::int64_t token = 0;
  std::string program;
};

/// A push as it is about to be sent: its row is written with the intent.
struct Intended {
  std::string push_id, machine, kind, body;
  std::int64_t sequence = 0, token = 0;
};

Result<std::optional<Migration>> open_migration(store::Store& store, std::string_view fleet);
Result<std::optional<Migration>> newest_migration(store::Store& store, std::string_view fleet);

/// The rows of one migration. Each call is one durable transaction; the schema's triggers refuse what the
/// order of the steps forbids (Errc::conflict says which rule). The store's thread.
class Ledger {
 public:
  Ledger(store::Store& store, std::string migration) : store_(&store), id_(std::move(migration)) {}

  /// A new migration of the fleet's machines, every step pending.
  static Result<Ledger> begin(store::Store& store, const FleetDocument& fleet, const Taker& taker);
  /// One that has no machine yet.
  static Result<Ledger> open(store::Store& store, const FleetDocument& fleet, const Taker& taker,
                             std::string_view opened_at);
  const std::string& id() const { return id_; }
  /// Takes machines that the document has and the migration has not.
  Status add_machines(const std::vector<std::string>& machines);
  /// A runner takes the migration up: a row of its own, which stays.
  Status claimed(const FleetDocument& fleet, const Taker& taker);
  Status adopt_document(const FleetDocument& fleet);
  Status close();
  Status reopen();

  Result<std::vector<LedgerMachine>> machines();
  Result<std::vector<StepRun>> runs();
  Result<StepRun> run(int step, std::string_view machine);
  /// The machines that take part and have not done this step.
  Result<std::vector<std::string>> not_done(int step);
  /// Another machine that takes part and on which this step runs.
  Result<std::optional<std::string>> runs_elsewhere(int step, std::string_view machine);

  /// Running, with what the gate found; the caller's transaction also writes the pushes that will be sent,
  /// and is durable before the machine is asked to do anything.
  Status start(int step, const std::string& machine, std::string_view push_id, std::string_view found);
  /// Still running, but why it does not go on now.
  Status told(int step, const std::string& machine, std::string_view why);
  Status done(int step, const std::string& machine, std::string_view proof);
  Status failed(int step, const std::string& machine, std::string_view why);
  Status backed_out(int step, const std::string& machine);
  /// Another machine has the name now: what the one before has done is backed out, and its steps begin anew.
  Status begin_anew(const std::string& machine, std::string_view machine_id);
  Status set_aside(const std::string& machine, std::optional<std::string> reason);

 private:
  store::Store* store_;
  std::string id_;
};

// The operator's rows of the pushes it sends.
struct SentPush {
  std::string push_id, machine, kind, body, state;
  static SentPush from(const store::Columns& c);
};
Status push_intended(store::Store& store, const Intended& push);
Status push_moved(store::Store& store, std::string_view push_id, std::string_view state,
                  std::string_view report);
Result<std::optional<SentPush>> sent_push(store::Store& store, std::string_view push_id);
/// The back-out of a push that was begun and not ended.
Result<std::optional<SentPush>> begun_back_out(store::Store& store, std::string_view machine,
                                               std::string_view restores);

}  // namespace berth::migrate
