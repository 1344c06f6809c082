#include "catalogue/assignments.h"

#include <algorithm>

#include "base/fields.h"
#include "base/json.h"
#include "catalogue/containers.h"
#include "catalogue/facts_json.h"
#include "catalogue/holds.h"
#include "catalogue/view.h"
#include "schema/queries.h"

namespace berth::catalogue {
namespace {

using Text = std::string_view;

constexpr store::Query<std::string(Text)> kAssigned{schema::queries::assigned_modules};
constexpr store::Query<void(Text, Text, Text, Text)> kAssignmentPut{schema::queries::assignment_put};
constexpr store::Query<void(Text, Text)> kAssignmentGone{schema::queries::assignment_gone};

Result<bool> has_container(const Manifest& manifest) {
  const auto resources = TRY(parse_json(manifest.resources, manifest.name));
  return std::ranges::any_of(resources, [](const Json& resource) { return resource["type"] == "container"; });
}

/// The other assignments of a machine that deliver containers.
Result<std::vector<std::string>> who_needs_a_runtime(store::Store& store, Text machine, Text leaving) {
  std::vector<std::string> needing;
  const auto manifests = TRY(stored_manifests(store));
  const auto assigned = TRY(assignment_rows(store, machine));
  for (const auto& module : assigned) {
    const auto manifest = manifests.find(module);
    if (module == leaving || manifest == manifests.end()) continue;
    if (TRY(has_container(manifest->second))) needing.push_back(module);
  }
  return needing;
}

Status release_hold(store::Store& store, const Hold& hold) {
  const auto needing = TRY(who_needs_a_runtime(store, hold.machine, hold.module));
  if (!needing.empty()) {
    const auto others = TRY(candidates(store, hold.seat));
    SeatState state{.seat = hold.seat,
                    .enforced = true,
                    .held = false,
                    .socket = {},
                    .candidates = others};
    return seat_unheld(state, hold.machine + ": without " + hold.module, needing);
  }
  return drop_hold(store, hold.machine, hold.seat);
}

// The module whose resolver containers may have been given.
constexpr Text kResolverModule = "dnsmasq";

struct Pinned {
  std::string name, resolvers, at;
  static Pinned from(const store::Columns& c) { return {c.text(0), c.text(1), c.text(2)}; }
};
constexpr store::Query<Pinned(Text)> kPinned{schema::queries::containers_pinned};

/// A container keeps the resolvers of its last start: those that have the machine's own are restarted before
/// it goes, or they would resolve nothing.
Status check_pinned(store::Store& store, Text module, Text machine) {
  if (module != kResolverModule) return {};
  const auto pinned = TRY(store.all(kPinned, machine));
  if (pinned.empty()) return {};
  std::string names;
  for (const auto& one : pinned) names += (names.empty() ? "" : ", ") + one.name + " (" + one.resolvers + ")";
  return fail_field(Errc::conflict, "machine",
                    std::string{machine} + ": containers run there with the resolver that goes with " + std::string{module} +
                        ", as read at " + pinned.front().at + ": " + names +
                        "; restart each, then read the machine again (berth audit pinned-resolvers lists them)");
}

/// The facts with one module more or less on a machine, so that an import's checks judge it.
Status change_wanted(store::Store& store, Text module, Text machine, bool assigned) {
  auto facts = TRY(imported_fleet(store));
  const auto at = std::ranges::find(facts.machines, machine, &MachineFacts::name);
  if (at == facts.machines.end()) {
    return fail_field(Errc::not_found, "machine",
                      "there is no machine " + std::string{machine} + " in " + facts.source);
  }
  const auto wanted = std::ranges::find(at->modules, module);
  if (assigned && wanted == at->modules.end()) at->modules.emplace_back(module);
  if (!assigned && wanted != at->modules.end()) at->modules.erase(wanted);
  TRY(check_fleet(facts));
  return store.set_setting("fleet", facts_text(facts));
}

/// What the document sets for the module on that machine; "{}" when it says nothing.
Result<std::string> wanted_settings(store::Store& store, Text module, Text machine) {
  const auto facts = TRY(imported_fleet_for(store, machine));
  const auto* at = facts.find_machine(machine);
  if (at == nullptr) return std::string{"{}"};
  const auto set = at->settings.find(std::string{module});
  return set == at->settings.end() ? std::string{"{}"} : set->second;
}

}  // namespace

Result<std::vector<std::string>> assignment_rows(store::Store& store, Text machine) {
  return store.all(kAssigned, machine);
}

Status put_assignment(store::Store& store, Text machine, Text module, Text settings) {
  TRY(store.run(kAssignmentPut, machine, module, settings, store.now()));
  return {};
}

Status take_away(store::Store& store, Text machine, Text module) {
  const auto all = TRY(holds(store));
  for (const auto& hold : all) {
    if (hold.machine == machine && hold.module == module) TRY(release_hold(store, hold));
  }
  TRY(store.run(kAssignmentGone, machine, module));
  return {};
}

Status assign(store::Store& store, Text module, Text machine) {
  return store.transaction([&]() -> Status {
    TRY(change_wanted(store, module, machine, true));
    return put_assignment(store, machine, module, TRY(wanted_settings(store, module, machine)));
  });
}

Status unassign(store::Store& store, Text module, Text machine) {
  return store.transaction([&]() -> Status {
    TRY(check_pinned(store, module, machine));
    TRY(change_wanted(store, module, machine, false));
    return take_away(store, machine, module);
  });
}

}  // namespace berth::catalogue
