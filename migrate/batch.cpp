#include "migrate/batch.h"

#include <algorithm>
#include <atomic>

#include "migrate/several.h"

namespace berth::migrate {
namespace {

std::string_view word(Ended how) {
  switch (how) {
    case Ended::done:
      return "done";
    case Ended::running:
      return "running";
    case Ended::gate_refused:
    case Ended::failed:
      return "failed";
  }
  return "failed";
}

/// What the workers of one step share.
class Batch {
 public:
  Batch(Scene& scene, const Step& step) : scene_(scene), step_(step) {}

  bool goes_on() const { return !halted_ && !scene_.stop.stop_requested(); }

  /// Whether every machine of a list has ended this step, done.
  bool all_done(const std::vector<std::string>& machines) {
    return ends_.with([&](auto& ends) {
      return std::ranges::all_of(machines, [&](const std::string& machine) {
        const auto at = ends.find(machine);
        return at != ends.end() && at->second.how == Ended::done;
      });
    });
  }

  void run(const std::vector<std::string>& machines, std::size_t at_once) {
    several(
        machines, at_once, [this] { return goes_on(); },
        [this](const std::string& machine) { keep(machine, run_machine(scene_, step_, machine)); });
  }

  Result<std::map<std::string, MachineEnd>> take() {
    if (broken_) return *broken_;
    return ends_.with([](auto& ends) { return ends; });
  }

 private:
  void keep(const std::string& machine, const Result<MachineEnd>& end) {
    if (!end) {
      halted_ = true;
      ends_.with([&](auto&) { broken_ = end.error(); });
      return;
    }
    // Step 1 changes nothing: it reads them all, so that a person decides everything at once.
    const bool stops_others = step_.number > 1 && (end->how == Ended::failed || end->how == Ended::running);
    if (stops_others) halted_ = true;
    ends_.with([&](auto& ends) { ends[machine] = *end; });
    scene_.tell([&](Observer& observer) {
      observer.machine_ended(step_.number, machine, word(end->how), end->detail);
    });
  }

  Scene& scene_;
  const Step& step_;
  std::atomic<bool> halted_{false};
  Guarded<std::map<std::string, MachineEnd>> ends_;
  std::optional<Error> broken_;  // the ledger cannot be written
};

}  // namespace

Result<std::map<std::string, MachineEnd>> run_step(Scene& scene, const Step& step,
                                                   const std::vector<std::string>& machines) {
  const auto& canary = scene.fleet.canary;
  const auto is_canary = [&](const std::string& machine) {
    return std::ranges::find(canary, machine) != canary.end();
  };
  std::vector<std::string> first;
  std::vector<std::string> rest;
  for (const auto& machine : machines) (is_canary(machine) ? first : rest).push_back(machine);
  Batch batch{scene, step};
  batch.run(first, 1);
  // A release that no canary has proven goes to nobody else; a hand-over's canary stops itself alone.
  if (step.number >= 4 && !batch.all_done(first)) return batch.take();
  batch.run(rest, step.in_parallel ? static_cast<std::size_t>(scene.fleet.max_parallel) : 1);
  return batch.take();
}

}  // namespace berth::migrate
