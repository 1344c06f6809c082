// `berth migrate run`: the steps in their order, from wherever the ledger says the migration is.
#include <algorithm>
#include <set>

#include "base/error.h"
#include "migrate/batch.h"
#include "migrate/intake.h"
#include "migrate/lock.h"
#include "migrate/migrate.h"
#include "migrate/opening.h"
#include "migrate/screen.h"

namespace berth::migrate {
namespace {

/// The machines that have this step before them: chosen, not set aside, not done.
Result<std::vector<std::string>> before_step(Scene& scene, int step, const std::vector<std::string>& chosen) {
  auto list = TRY(scene.books.with([&](Books& books) { return books.ledger.not_done(step); }));
  const std::set<std::string> wanted{chosen.begin(), chosen.end()};
  std::erase_if(list, [&](const std::string& machine) { return !wanted.contains(machine); });
  return list;
}

/// Who has not done the step before; the schema's trigger would refuse the row, this says it in words.
Result<std::string> waits_for(Scene& scene, int step) {
  if (step == 1) return std::string{};
  const auto waiting = TRY(scene.books.with([&](Books& books) { return books.ledger.not_done(step - 1); }));
  std::string names;
  for (const auto& machine : waiting) names += (names.empty() ? "" : ", ") + machine;
  return names;
}

Outcome::Kind kind_of_step(const Scene& scene, const std::map<std::string, MachineEnd>& ends, std::size_t wanted) {
  const auto any = [&](Ended how) {
    return std::ranges::any_of(ends, [&](const auto& end) { return end.second.how == how; });
  };
  auto bad = Outcome::Kind::done;
  for (const auto& [machine, end] : ends) {
    if (end.how != Ended::done) bad = together(bad, kind_of(end.code));
  }
  if (any(Ended::failed) || any(Ended::gate_refused)) return bad;
  if (scene.stop.stop_requested() && ends.size() < wanted) return Outcome::Kind::stopped;
  if (any(Ended::running))
    return scene.stop.stop_requested() ? Outcome::Kind::stopped : bad;
  return ends.size() < wanted ? Outcome::Kind::stopped : Outcome::Kind::done;
}

/// One step over the machines that have it before them. `why` says what stopped it.
Result<Outcome::Kind> one_step(Scene& scene, const Step& step, const std::vector<std::string>& machines,
                               std::string& why) {
  if (const auto names = TRY(waits_for(scene, step.number)); !names.empty()) {
    why = "step " + std::to_string(step.number) + " waits for step " + std::to_string(step.number - 1) +
          " on " + names;
    return Outcome::Kind::refused;
  }
  if (step.fleet_gate != nullptr) {
    if (const auto gate = step.fleet_gate(scene); !gate) {
      why = gate.error().detail;
      return Outcome::Kind::refused;
    }
  }
  scene.tell([&](Observer& observer) { observer.step_begins(step.number, step.name, machines.size()); });
  const auto ends = TRY(run_step(scene, step, machines));
  const auto done = static_cast<std::size_t>(
      std::ranges::count_if(ends, [](const auto& end) { return end.second.how == Ended::done; }));
  scene.tell([&](Observer& observer) { observer.step_ended(step.number, done, machines.size()); });
  for (const auto& [machine, end] : ends) {
    if (end.how != Ended::done) why += (why.empty() ? "" : "\n") + machine + ": " + end.detail;
  }
  return kind_of_step(scene, ends, machines.size());
}

Result<Outcome::Kind> all_steps(Scene& scene, const Options& options, const std::vector<std::string>& chosen,
                                std::string& why) {
  for (const auto& step : steps()) {
    if (step.number > options.to_step) break;
    if (scene.stop.stop_requested()) return Outcome::Kind::stopped;
    const auto machines = TRY(before_step(scene, step.number, chosen));
    if (machines.empty()) continue;
    const auto kind = TRY(one_step(scene, step, machines, why));
    // Reports that cannot be read now are read after the next step; no step depends on them here.
    if (const auto taken = take_in(scene); !taken)
      scene.tell([&](Observer& o) { o.notice("reports were not taken in: " + taken.error().detail); });
    if (kind != Outcome::Kind::done) return kind;
  }
  return Outcome::Kind::done;
}

/// Closed once every step is done on every machine; opened again while one is not.
Status close_if_done(Books& books) {
  const auto runs = TRY(books.ledger.runs());
  const bool done = std::ranges::all_of(runs, [](const StepRun& run) { return run.state == "done"; });
  return done ? books.ledger.close() : books.ledger.reopen();
}

}  // namespace

Result<Outcome> run(const FleetDocument& fleet, const Options& options, Site& site, Observer& observer,
                    std::stop_token stop) {
  const auto lock = TRY(RunnerLock::take(lock_path(site.store.path()), options.runner));
  const auto chosen = TRY(chosen_machines(fleet, options));
  auto opened = TRY(open_for_work(fleet, options, site, observer));
  Scene scene{fleet, site, observer, std::move(stop), std::move(opened.lease), std::move(opened.ledger)};
  std::string why;
  const auto kind = TRY(all_steps(scene, options, chosen, why));
  TRY(scene.books.with([](Books& books) { return close_if_done(books); }));
  auto outcome = TRY(status(fleet, site.store));
  outcome.kind = kind;
  if (!why.empty()) outcome.text += "\n" + why + "\n";
  outcome.document["outcome"] = outcome_name(kind);
  outcome.document["why"] = why;
  return outcome;
}

}  // namespace berth::migrate
