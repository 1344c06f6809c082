#include "migrate/report/records.h"

#include "schema/queries.h"

namespace berth::migrate::report_detail {
namespace {

using store::Query;
using Text = std::string_view;
namespace sql = schema::queries;

constexpr Query<Taken(Text)> kTaken{sql::migration_runs};
constexpr Query<Past(Text, Text)> kHistory{sql::step_history_of};
constexpr Query<PushRow(Text, Text)> kPushes{sql::pushes_since};
constexpr Query<ReportRow(Text, Text)> kReports{sql::reports_since};
constexpr Query<std::string(Text)> kSnapshotKept{sql::config_snapshot_newest};

}  // namespace

Taken Taken::from(const store::Columns& c) { return {c.integer(0), c.text(1), c.text(2), c.text(3), c.text(4)}; }

Past Past::from(const store::Columns& c) {
  return {static_cast<int>(c.integer(0)), c.integer(1),    c.text(2),       c.text(3),      c.integer(4),
          c.text(5),                      c.maybe_text(6), c.maybe_text(7), c.maybe_text(8)};
}

PushRow PushRow::from(const store::Columns& c) {
  return {c.text(0), c.text(1), c.text(2), c.text(3), c.maybe_text(4), c.integer(5)};
}

ReportRow ReportRow::from(const store::Columns& c) {
  return {c.text(0), c.text(1), c.text(2), c.text(3), c.text(4)};
}

Result<std::vector<Taken>> runs_of(store::Store& store, const Migration& migration) {
  return store.all(kTaken, migration.id);
}

Result<MachineRecords> records_of(store::Store& store, const Migration& migration, const LedgerMachine& machine,
                                  std::vector<StepRun> rows) {
  MachineRecords records;
  records.machine = machine;
  records.rows = std::move(rows);
  records.history = TRY(store.all(kHistory, migration.id, machine.name));
  records.pushes = TRY(store.all(kPushes, machine.name, migration.opened_at));
  records.reports = TRY(store.all(kReports, machine.name, migration.opened_at));
  records.snapshot = TRY(store.first(kSnapshotKept, machine.name));
  return records;
}

}  // namespace berth::migrate::report_detail
