#include "migrate/ledger.h"

#include <algorithm>

#include "base/hash.h"
#include "schema/queries.h"

namespace berth::migrate {
namespace {

using store::Query;
using Text = std::string_view;
using MaybeText = std::optional<std::string>;
namespace sql = schema::queries;

constexpr Query<std::string(std::string_view, std::int64_t, std::string_view)> kStepUnderWay{
    schema::queries::step_under_way};
constexpr Query<Migration(Text)> kOpen{sql::migration_open};
constexpr Query<Migration(Text)> kNewest{sql::migration_newest};
constexpr Query<void(Text, Text, Text, Text, Text, std::int64_t, Text)> kBegun{sql::migration_begun};
constexpr Query<void(Text, Text, Text)> kDocument{sql::migration_document};
constexpr Query<void(Text, Text, std::int64_t)> kClaimed{sql::migration_claimed};
constexpr Query<void(Text, std::int64_t, Text, Text, Text, Text)> kRunBegun{sql::migration_run_begun};
constexpr Query<void(Text, Text)> kClosed{sql::migration_closed};
constexpr Query<void(Text)> kReopened{sql::migration_reopened};
constexpr Query<LedgerMachine(Text)> kMachines{sql::migration_machines};
constexpr Query<void(Text, Text)> kMachinePut{sql::migration_machine_put};
constexpr Query<void(Text, Text, MaybeText)> kMachineAside{sql::migration_machine_aside};
constexpr Query<void(Text, Text, Text)> kReplaced{sql::migration_machine_replaced};
constexpr Query<void(Text, MaybeText)> kAside{sql::machine_aside};
constexpr Query<StepRun(Text)> kRuns{sql::step_runs};
constexpr Query<StepRun(Text, int, Text)> kRun{sql::step_run_of};
constexpr Query<std::string(Text, int)> kNotDone{sql::step_run_not_done};
constexpr Query<void(Text, int, Text)> kPending{sql::step_run_pending};
constexpr Query<void(Text, int, Text, Text, MaybeText, Text)> kRunning{sql::step_run_running};
constexpr Query<void(Text, int, Text, Text)> kTold{sql::step_run_told};
constexpr Query<void(Text, int, Text, Text, Text)> kDone{sql::step_run_done};
constexpr Query<void(Text, int, Text, Text, Text)> kFailed{sql::step_run_failed};
constexpr Query<void(Text, int, Text, Text)> kBackedOut{sql::step_run_backed_out};

constexpr int kSteps = 5;

}  // namespace

Migration Migration::from(const store::Columns& c) {
  return {c.text(0), c.text(1), c.text(2), c.text(3), c.text(4), c.integer(5), c.text(6), c.maybe_text(7)};
}

LedgerMachine LedgerMachine::from(const store::Columns& c) { return {c.text(0), c.text(1), c.maybe_text(2)}; }

StepRun StepRun::from(const store::Columns& c) {
  return {static_cast<int>(c.integer(0)),
          c.text(1),
          c.text(2),
          c.integer(3),
          c.text(4),
          c.maybe_text(5),
          c.maybe_text(6),
          c.maybe_text(7),
          c.maybe_text(8)};
}

Result<std::optional<Migration>> open_migration(store::Store& store, Text fleet) {
  return store.first(kOpen, fleet);
}
Result<std::optional<Migration>> newest_migration(store::Store& store, Text fleet) {
  return store.first(kNewest, fleet);
}

Result<Ledger> Ledger::begin(store::Store& store, const FleetDocument& fleet, const Taker& taker) {
  std::optional<Ledger> begun;
  TRY(store.transaction([&]() -> Status {
    begun = TRY(open(store, fleet, taker, store.now()));
    return begun->add_machines(fleet.machines);
  }));
  return *begun;
}

Result<Ledger> Ledger::open(store::Store& store, const FleetDocument& fleet, const Taker& taker, Text opened_at) {
  Ledger ledger{store, random_hex(8)};
  TRY(store.transaction([&]() -> Status {
    TRY(store.run(kBegun, ledger.id_, fleet.name.text(), fleet.text, fleet.hash, taker.runner, taker.token, opened_at));
    return ledger.claimed(fleet, taker);
  }));
  return ledger;
}

Status Ledger::add_machines(const std::vector<std::string>& wanted) {
  return store_->transaction([&]() -> Status {
    const auto there = TRY(machines());
    for (const auto& machine : wanted) {
      if (std::ranges::find(there, machine, &LedgerMachine::name) != there.end()) continue;
      TRY(store_->run(kMachinePut, id_, machine));
      for (int step = 1; step <= kSteps; ++step) TRY(store_->run(kPending, id_, step, machine));
    }
    return {};
  });
}

Status Ledger::claimed(const FleetDocument& fleet, const Taker& taker) {
  return store_->transaction([&]() -> Status {
    TRY(store_->run(kClaimed, id_, taker.runner, taker.token));
    TRY(store_->run(kRunBegun, id_, taker.token, taker.runner, taker.program, fleet.hash, store_->now()));
    return {};
  });
}

Status Ledger::adopt_document(const FleetDocument& fleet) {
  TRY(store_->run(kDocument, id_, fleet.text, fleet.hash));
  return {};
}

Status Ledger::close() {
  TRY(store_->run(kClosed, id_, store_->now()));
  return {};
}

Status Ledger::reopen() {
  TRY(store_->run(kReopened, id_));
  return {};
}

Result<std::vector<LedgerMachine>> Ledger::machines() { return store_->all(kMachines, id_); }
Result<std::vector<StepRun>> Ledger::runs() { return store_->all(kRuns, id_); }

Result<std::vector<std::string>> Ledger::not_done(int step) { return store_->all(kNotDone, id_, step); }

Result<std::optional<std::string>> Ledger::runs_elsewhere(int step, std::string_view machine) {
  return store_->first(kStepUnderWay, id_, step, machine);
}

Result<StepRun> Ledger::run(int step, Text machine) {
  auto row = TRY(store_->first(kRun, id_, step, machine));
  if (!row) return fail(Errc::not_found, std::string{machine} + " is no machine of this migration");
  return std::move(*row);
}

Status Ledger::start(int step, const std::string& machine, Text push_id, Text found) {
  TRY(store_->run(kRunning, id_, step, machine, push_id, std::optional{std::string{found}}, store_->now()));
  return {};
}

Status Ledger::told(int step, const std::string& machine, Text why) {
  TRY(store_->run(kTold, id_, step, machine, why));
  return {};
}

Status Ledger::done(int step, const std::string& machine, Text proof) {
  TRY(store_->run(kDone, id_, step, machine, proof, store_->now()));
  return {};
}

Status Ledger::failed(int step, const std::string& machine, Text why) {
  TRY(store_->run(kFailed, id_, step, machine, why, store_->now()));
  return {};
}

Status Ledger::backed_out(int step, const std::string& machine) {
  TRY(store_->run(kBackedOut, id_, step, machine, store_->now()));
  return {};
}

Status Ledger::begin_anew(const std::string& machine, Text machine_id) {
  return store_->transaction([&]() -> Status {
    TRY(store_->run(kReplaced, id_, machine, machine_id));
    for (int step = kSteps; step >= 1; --step) {
      const auto state = TRY(run(step, machine)).state;
      if (state != "pending" && state != "backed_out") TRY(backed_out(step, machine));
    }
    return {};
  });
}

Status Ledger::set_aside(const std::string& machine, MaybeText reason) {
  return store_->transaction([&]() -> Status {
    TRY(store_->run(kAside, machine, reason));
    TRY(store_->run(kMachineAside, id_, machine, reason));
    return {};
  });
}

}  // namespace berth::migrate
