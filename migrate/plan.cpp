// `berth migrate plan`: what each step would do, worked out on a copy of the store. Changes nothing.
#include <map>

#include "base/error.h"
#include "base/guarded.h"
#include "catalogue/catalogue.h"
#include "migrate/configs.h"
#include "migrate/diff.h"
#include "migrate/dry_hand_over.h"
#include "migrate/earlier.h"
#include "migrate/migrate.h"
#include "migrate/opening.h"
#include "migrate/pushing.h"
#include "migrate/screen.h"
#include "migrate/several.h"
#include "migrate/steps/steps.h"

namespace berth::migrate {
namespace {

/// A copy of the operator's store that the planning may write into, gone with it.
class Scratch {
 public:
  static Result<Scratch> of(Site& site) {
    std::string pattern = (std::filesystem::temp_directory_path() / "berth-plan-XXXXXX").native();
    if (::mkdtemp(pattern.data()) == nullptr)
      return fail(Errc::failed, "make a folder for the plan: " + pattern);
    Scratch scratch{pattern};
    TRY(site.store.backup_to(scratch.folder_ / "fleet.db"));
    scratch.store_.emplace(
        TRY(store::Store::open(scratch.folder_ / "fleet.db", store::Role::fleet, site.clock, site.seam)));
    return scratch;
  }
  explicit Scratch(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Scratch(Scratch&& other) noexcept
      : folder_(std::exchange(other.folder_, {})), store_(std::move(other.store_)) {}
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch() {
    store_.reset();
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  store::Store& store() { return *store_; }

 private:
  std::filesystem::path folder_;
  std::optional<store::Store> store_;
};

struct MachinePlan {
  Json document;
  std::string text;
  bool undecided = false;
};

constexpr std::chrono::seconds kAskLimit{20};

std::string lines_of_push(const Json& push) {
  std::string text;
  for (const auto& id : push["give_back"]) text += "    gives back " + id.get<std::string>() + "\n";
  for (const auto& module : push["declaration"]["modules"]) {
    text += "    declares " + module["name"].get<std::string>() + ":";
    for (const auto& resource : module["resources"]) text += " " + resource["id"].get<std::string>();
    text += "\n";
  }
  return text;
}

/// A machine that the hand-over has not reached yet: the push, the file's difference, and what is undecided.
Result<MachinePlan> plan_machine(const FleetDocument& fleet, const std::string& machine, Port& port,
                                 Guarded<Scratch>& scratch) {
  const auto status = TRY(port.ask(machine, {{"what", "status"}}, kAskLimit));
  TRY(check_not_handed_over(machine, port.ask(machine, {{"what", "pushes"}}, kAskLimit)));
  const auto snapshot = TRY(port.ask(machine, {{"what", "snapshot"}}, kAskLimit));
  const auto compared =
      TRY(scratch.with([&](Scratch& copy) { return compare_machine(copy.store(), fleet, machine, snapshot); }));
  const auto lines = lines_to_paste(compared.findings, compared.planned.module, machine);
  const auto push =
      TRY(scratch.with([&](Scratch& copy) { return dry_hand_over(copy.store(), machine, status, snapshot); }));
  const auto planned = TRY(port.ask(machine, {{"what", "plan"}, {"push", push}}, kAskLimit));
  const auto text_of = [](const Json& file) {
    return file.value("text", Json{}).is_string() ? file["text"].get<std::string>() : "";
  };
  const auto diff =
      unified_diff(text_of(snapshot["file"]), text_of(planned["file"]), snapshot["file"].value("path", ""));
  MachinePlan plan;
  plan.undecided = !lines.empty();
  plan.document = {{"keys", findings_document(compared.findings)},
                   {"push", push},
                   {"diff", diff},
                   {"waiting", planned.value("waiting", Json::array())},
                   {"undecided", lines}};
  plan.text = "  2 hand-over\n" + lines_of_push(push) +
              (diff.empty() ? "    the engine's file stays as it is\n" : diff);
  if (const auto waiting = planned.value("waiting", Json::array()); !waiting.empty()) {
    plan.text +=
        "    taken at the engine's next start only, which berth never makes: " + waiting.dump() + "\n";
  }
  if (plan.undecided) plan.text += "  undecided:\n" + lines;
  return plan;
}

/// The steps that no machine need be asked for.
std::string steps_ahead(const FleetDocument& fleet) {
  std::string text;
  for (const auto& step : steps()) {
    text += "  " + std::to_string(step.number) + " " + std::string{step.name} + ": " +
            std::string{step.does} + "\n";
  }
  return text + "  releases: " + fleet.version("start") + " -> " + fleet.version("with_holder") +
         " (step 4) -> " + fleet.version("without_cli") + " (step 5)\n";
}

/// The highest step that each machine has done; a machine that has done none is not in it.
Result<std::map<std::string, int>> highest_done(store::Store& store, const FleetDocument& fleet) {
  std::map<std::string, int> highest;
  const auto migration = TRY(newest_migration(store, fleet.name.text()));
  if (!migration) return highest;
  for (const auto& row : TRY(Ledger(store, migration->id).runs())) {
    if (row.state == "done") highest[row.machine] = std::max(highest[row.machine], row.step);
  }
  return highest;
}

using Plans = std::map<std::string, Result<MachinePlan>>;

/// Of the machines that the hand-over has not reached.
Plans plan_machines(const FleetDocument& fleet, const std::vector<std::string>& machines, Port& port, Scratch copy) {
  Guarded<Scratch> scratch{std::move(copy)};
  Guarded<Plans> plans;
  several(machines, kAskedAtOnce, [] { return true; }, [&](const std::string& machine) {
    auto planned = plan_machine(fleet, machine, port, scratch);
    plans.with([&](Plans& all) { all.emplace(machine, std::move(planned)); });
  });
  return plans.with([](Plans& all) { return std::move(all); });
}

void tell_done(Outcome& outcome, const std::string& machine, int step) {
  outcome.text += "step " + std::to_string(step) + " is done; the engine's file is the runtime module's\n";
  outcome.document["machines"][machine] = {{"highest_done", step}};
}

void tell_planned(Outcome& outcome, const std::string& machine, const Result<MachinePlan>& planned) {
  if (!planned) {
    outcome.kind = together(outcome.kind, kind_of(planned.error().code));
    outcome.text += to_text(planned.error()) + "\n";
    outcome.document["machines"][machine] = {{"error", to_problem(planned.error())}};
    return;
  }
  if (planned->undecided) outcome.kind = together(outcome.kind, Outcome::Kind::refused);
  outcome.text += "\n" + planned->text;
  outcome.document["machines"][machine] = planned->document;
}

}  // namespace

Result<Outcome> plan(const FleetDocument& fleet, const Options& options, Site& site) {
  const auto chosen = TRY(chosen_machines(fleet, options));
  auto scratch = TRY(Scratch::of(site));
  TRY(catalogue::import_fleet(scratch.store(), fleet.facts));
  Outcome outcome{{{"fleet", fleet.name.text()}, {"hash", fleet.hash}, {"machines", Json::object()}},
                  "each machine goes through\n" + steps_ahead(fleet)};
  auto done = TRY(highest_done(site.store, fleet));
  std::vector<std::string> ahead;
  for (const auto& machine : chosen) {
    if (done[machine] < 2) ahead.push_back(machine);
  }
  const auto plans = plan_machines(fleet, ahead, site.port, std::move(scratch));
  for (const auto& machine : chosen) {
    outcome.text += "\n" + machine + ": ";
    if (const auto plan = plans.find(machine); plan != plans.end())
      tell_planned(outcome, machine, plan->second);
    else
      tell_done(outcome, machine, done[machine]);
  }
  return outcome;
}

}  // namespace berth::migrate
