// `berth migrate back-out`, and taking a machine out and in again.
#include <algorithm>

#include "base/error.h"
#include "migrate/lock.h"
#include "migrate/machine_run.h"
#include "migrate/migrate.h"
#include "migrate/opening.h"
#include "migrate/screen.h"

namespace berth::migrate {
namespace {

Result<Ledger> ledger_of(const FleetDocument& fleet, store::Store& store) {
  const auto migration = TRY(newest_migration(store, fleet.name.text()));
  if (!migration) return fail(Errc::not_found, "no migration of " + fleet.name.text() + " has begun");
  return Ledger{store, migration->id};
}

/// Bringing a machine in says nothing while it works.
class Quiet final : public Observer {
  void step_begins(int, std::string_view, std::size_t) override {}
  void machine_does(int, std::string_view, std::string_view) override {}
  void machine_ended(int, std::string_view, std::string_view, std::string_view) override {}
  void step_ended(int, std::size_t, std::size_t) override {}
  void notice(std::string_view) override {}
};

Result<bool> is_replaced(const FleetDocument& fleet, Ledger& ledger, std::string_view machine) {
  for (const auto& known : TRY(ledger.machines())) {
    if (known.name == machine) return known.machine_id != fleet.machine(machine).machine_id;
  }
  return false;
}

Status known_machine(Ledger& ledger, std::string_view machine) {
  TRY(ledger.run(1, machine));
  return {};
}

/// The rest of the machines are left alone when one cannot be undone.
Result<Outcome::Kind> undo_each(Scene& scene, const Step& step, const std::vector<std::string>& machines,
                                std::string& why) {
  for (const auto& machine : machines) {
    if (scene.stop.stop_requested()) return Outcome::Kind::stopped;
    const auto end = TRY(undo_machine(scene, step, machine));
    const bool done = end.how == Ended::done;
    scene.tell([&](Observer& o) {
      o.machine_ended(step.number, machine, done ? "backed_out" : "failed", end.detail);
    });
    if (done) continue;
    why = machine + ": " + end.detail;
    return kind_of(end.code);
  }
  return Outcome::Kind::done;
}

}  // namespace

Result<Outcome> back_out(const FleetDocument& fleet, const Options& options, Site& site, Observer& observer,
                         std::stop_token stop) {
  const auto* step = find_step(options.to_step);
  if (step == nullptr)
    return fail_field(Errc::bad_request, "to_step", "there is no step " + std::to_string(options.to_step));
  const auto lock = TRY(RunnerLock::take(lock_path(site.store.path()), options.runner));
  const auto machines = TRY(chosen_machines(fleet, options));
  auto before = TRY(ledger_of(fleet, site.store));
  auto opened = TRY(open_for_work(fleet, options, site, observer));
  TRY(before.reopen());
  Scene scene{fleet, site, observer, std::move(stop), std::move(opened.lease), std::move(opened.ledger)};
  observer.step_begins(step->number, "back-out of " + std::string{step->name}, machines.size());
  std::string why;
  const auto kind = TRY(undo_each(scene, *step, machines, why));
  auto outcome = TRY(status(fleet, site.store));
  outcome.kind = kind;
  if (!why.empty()) outcome.text += "\n" + why + "\n";
  outcome.document["outcome"] = outcome_name(kind);
  outcome.document["why"] = why;
  return outcome;
}

Status set_aside(const FleetDocument& fleet, std::string_view machine, std::string_view reason,
                 store::Store& store) {
  if (reason.empty()) return fail_field(Errc::bad_request, "reason", "a machine is set aside with a reason");
  if (std::ranges::any_of(reason, [](unsigned char c) { return c < 0x20 || c == 0x7F; }))
    return fail_field(Errc::bad_request, "reason", "a reason is one line of text");
  auto ledger = TRY(ledger_of(fleet, store));
  TRY(known_machine(ledger, machine));
  return ledger.set_aside(std::string{machine}, std::string{reason});
}

Status bring_in(const FleetDocument& fleet, std::string_view machine, store::Store& store) {
  auto ledger = TRY(ledger_of(fleet, store));
  TRY(known_machine(ledger, machine));
  // Another machine under its name begins anew, and only while it is set aside may the document say so.
  Quiet quiet;
  if (TRY(is_replaced(fleet, ledger, machine))) TRY(adopt_document(fleet, store, quiet));
  return ledger.set_aside(std::string{machine}, std::nullopt);
}

}  // namespace berth::migrate
