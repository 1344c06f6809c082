#include "catalogue/view.h"

#include <algorithm>

#include "base/json.h"
#include "catalogue/collisions.h"
#include "catalogue/seats.h"
#include "schema/queries.h"

namespace berth::catalogue {
namespace {

struct ModuleRow {
  std::string name, manifest;
  static ModuleRow from(const store::Columns& c) { return {c.text(0), c.text(1)}; }
};

constexpr store::Query<ModuleRow()> kModules{schema::queries::modules};
constexpr store::Query<std::string(std::string_view)> kAssignedModules{schema::queries::assigned_modules};

/// Where a module stands in the fleet document's list of a machine; after all of them when it does not.
std::size_t place_in(const MachineFacts& machine, const std::string& module) {
  const auto at = std::ranges::find(machine.modules, module);
  return static_cast<std::size_t>(at - machine.modules.begin());
}

void put_in_order(std::vector<std::string>& modules, const MachineFacts& machine,
                  const std::map<std::string, Manifest>& manifests) {
  const auto rank = [&](const std::string& module) {
    const auto manifest = manifests.find(module);
    const bool holds_seats = manifest != manifests.end() && !manifest->second.claims.empty();
    return std::make_pair(holds_seats ? 0 : 1, place_in(machine, module));
  };
  std::ranges::stable_sort(modules, {}, rank);
}

Result<SeatState> seat_state(store::Store& store, std::string_view machine) {
  SeatState state;
  state.seat = kRuntimeSeat;
  state.enforced = TRY(is_enforced(store, machine, kRuntimeSeat));
  state.candidates = TRY(candidates(store, kRuntimeSeat));
  if (const auto hold = TRY(holder_of(store, machine, kRuntimeSeat))) {
    state.held = true;
    state.socket = hold->socket;
  }
  return state;
}

}  // namespace

const Manifest* View::runtime() const {
  for (const auto& name : machine.modules) {
    const auto at = manifests.find(name);
    if (at != manifests.end() && at->second.claim_of(seat.seat) != nullptr) return &at->second;
  }
  return nullptr;
}

Result<std::map<std::string, Manifest>> stored_manifests(store::Store& store) {
  std::map<std::string, Manifest> manifests;
  const auto rows = TRY(store.all(kModules));
  for (const auto& row : rows) {
    manifests.emplace(row.name, TRY(parse_manifest(row.manifest, "module " + row.name)));
  }
  return manifests;
}

Result<std::vector<std::string>> assigned_modules(store::Store& store, std::string_view machine) {
  return std::move(TRY(view_of(store, machine)).machine.modules);
}

Result<View> view_of(store::Store& store, std::string_view machine) {
  View view;
  view.fleet = TRY(imported_fleet_for(store, machine));
  const auto* facts = view.fleet.find_machine(machine);
  if (facts == nullptr) {
    return fail_field(Errc::not_found, "machine",
                      "there is no machine " + std::string{machine} + " in " + view.fleet.source);
  }
  view.machine = *facts;
  view.manifests = TRY(stored_manifests(store));
  auto modules = TRY(store.all(kAssignedModules, machine));
  put_in_order(modules, *facts, view.manifests);
  view.machine.modules = std::move(modules);
  view.seat = TRY(seat_state(store, machine));
  return view;
}

Result<Json> resolve_machine(const View& view, const Computed& computed) {
  Json modules = Json::array();
  for (const auto& name : view.machine.modules) {
    const auto manifest = view.manifests.find(name);
    if (manifest == view.manifests.end()) return fail(Errc::not_found, "there is no module " + name);
    modules.push_back(TRY(resolve_module(view.fleet, view.machine, manifest->second, computed)));
  }
  TRY(check_collisions(modules, view.machine.name));
  TRY(check_containers(modules, view.seat, view.machine.name));
  return modules;
}

}  // namespace berth::catalogue
