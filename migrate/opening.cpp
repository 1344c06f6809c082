#include "migrate/opening.h"

#include <algorithm>

#include "catalogue/catalogue.h"
#include "migrate/document_change.h"

namespace berth::migrate {
namespace {

/// A machine is known by its machine-id and name together, for as long as a migration lasts.
Status check_that_names_stay(const FleetDocument& fleet, const std::vector<LedgerMachine>& known) {
  for (const auto& machine : fleet.facts.machines) {
    for (const auto& other : known) {
      if (other.machine_id != machine.machine_id || other.name == machine.name) continue;
      const auto field = "machines." + machine.name + ".machine_id";
      return fail_field(Errc::drift, field,
                        field + " is that of " + other.name +
                            " in this migration: a machine keeps its name until the "
                            "migration is over; call it " +
                            other.name + " again");
    }
  }
  return {};
}

/// Set aside, and with another machine-id in the document: nothing that the ledger says was done on it.
Status begin_replaced_anew(const FleetDocument& fleet, const std::vector<LedgerMachine>& known,
                           Ledger& ledger, store::Store& store) {
  for (const auto& machine : known) {
    if (std::ranges::find(fleet.machines, machine.name) == fleet.machines.end()) continue;
    const auto& wanted = fleet.machine(machine.name).machine_id;
    if (wanted == machine.machine_id) continue;
    const auto seat = TRY(ledger.run(3, machine.name)).state;
    if (seat == "done" || seat == "running")
      TRY(catalogue::withdraw(store, machine.name, catalogue::kRuntimeSeat));
    TRY(ledger.begin_anew(machine.name, wanted));
  }
  return {};
}

/// A changed document goes on only where no done step depends on the change; what changed is shown.
Status take_document(const FleetDocument& fleet, const Migration& migration, Ledger& ledger,
                     store::Store& store, Observer& observer) {
  const auto known = TRY(ledger.machines());
  TRY(check_that_names_stay(fleet, known));
  if (migration.hash != fleet.hash) {
    const auto runs = TRY(ledger.runs());
    const auto lines = TRY(judge_change(migration.document, fleet, runs, known));
    for (const auto& line : lines) observer.notice("the fleet document has changed: " + line);
  }
  return store.transaction([&]() -> Status {
    TRY(catalogue::import_fleet(store, fleet.facts));
    TRY(ledger.adopt_document(fleet));
    TRY(begin_replaced_anew(fleet, known, ledger, store));
    return ledger.add_machines(fleet.machines);
  });
}

}  // namespace

Result<Opened> open_for_work(const FleetDocument& fleet, const Options& options, Site& site,
                             Observer& observer) {
  const auto there = TRY(newest_migration(site.store, fleet.name.text()));
  if (there) {
    Ledger ledger{site.store, there->id};
    TRY(take_document(fleet, *there, ledger, site.store, observer));
  } else {
    TRY(catalogue::import_fleet(site.store, fleet.facts));
  }
  TRY(site.port.ensure_streams());
  auto [lease, taken_from, first_here] = TRY(claim_lease(fleet, options.runner, site.port, site.store));
  if (taken_from) observer.notice(tell_taken(*taken_from, lease));
  if (!there && first_here && lease.token > 1)
    observer.notice("the fleet was led from another store before (token " + std::to_string(lease.token - 1) +
                    "), which this one knows nothing of: what was found on the machines is in that one, and if it is lost, "
                    "berth store rebuild makes it anew");
  const Taker taker{lease.runner, lease.token, options.program};
  if (!there) {
    auto ledger = TRY(Ledger::begin(site.store, fleet, taker));
    return Opened{std::move(lease), std::move(ledger)};
  }
  Ledger ledger{site.store, there->id};
  TRY(ledger.claimed(fleet, taker));
  return Opened{std::move(lease), std::move(ledger)};
}

Status adopt_document(const FleetDocument& fleet, store::Store& store, Observer& observer) {
  const auto there = TRY(newest_migration(store, fleet.name.text()));
  if (!there) return fail(Errc::not_found, "no migration of " + fleet.name.text() + " has begun");
  Ledger ledger{store, there->id};
  return take_document(fleet, *there, ledger, store, observer);
}

Result<std::vector<std::string>> chosen_machines(const FleetDocument& fleet, const Options& options) {
  if (options.machines.empty()) return fleet.machines;
  for (const auto& machine : options.machines) {
    if (std::ranges::find(fleet.machines, machine) != fleet.machines.end()) continue;
    return fail_field(Errc::bad_request, "machine", machine + " is no machine of " + fleet.path.native());
  }
  return options.machines;
}

}  // namespace berth::migrate
