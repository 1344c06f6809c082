#include <algorithm>
#include <set>

#include "base/json.h"
#include "catalogue/assignments.h"
#include "catalogue/facts.h"
#include "catalogue/facts_json.h"
#include "catalogue/fleet_manifests.h"
#include "catalogue/issue.h"
#include "schema/queries.h"

namespace berth::catalogue {
namespace {

using Text = std::string_view;

constexpr store::Query<void(Text, Text, Text)> kModulePut{schema::queries::module_put};
constexpr store::Query<void(Text, Text)> kMachinePut{schema::queries::machine_put};
constexpr store::Query<ManifestFacts()> kModules{schema::queries::modules};
constexpr store::Query<std::string(Text)> kFactsFor{schema::queries::fleet_facts_for};
constexpr store::Query<void()> kGrantsGone{schema::queries::grants_gone};

Status put_modules(store::Store& store, const FleetFacts& facts) {
  const auto texts = TRY(fleet_manifest_texts(facts));
  for (const auto& [name, text] : texts) TRY(store.run(kModulePut, name, text, store.now()));
  return {};
}

Status put_machines(store::Store& store, const FleetFacts& facts) {
  for (const auto& machine : facts.machines) TRY(store.run(kMachinePut, machine.name, machine.machine_id));
  return {};
}

/// A machine's assignments become what the document wants of it.
Status put_assignments(store::Store& store, const MachineFacts& machine) {
  const auto assigned = TRY(assignment_rows(store, machine.name));
  for (const auto& module : machine.modules) {
    const auto settings = machine.settings.find(module);
    TRY(put_assignment(store, machine.name, module,
                       settings == machine.settings.end() ? "{}" : settings->second));
  }
  for (const auto& module : assigned) {
    if (std::ranges::find(machine.modules, module) == machine.modules.end())
      TRY(take_away(store, machine.name, module));
  }
  return {};
}

Status put_grants(store::Store& store, const FleetFacts& facts) {
  const auto rows = TRY(expand_grants(facts, TRY(fleet_manifests(facts))));
  TRY(store.run(kGrantsGone));
  for (const auto& row : rows) TRY(put_grant(store, row));
  return {};
}

/// What the store keeps as one text, with the manifests that it keeps in rows.
Result<FleetFacts> with_manifests(store::Store& store, const std::optional<std::string>& text) {
  if (!text) return fail(Errc::not_found, "no fleet document was imported into " + store.path().native());
  auto facts = TRY(facts_from(*text));
  facts.manifests = TRY(store.all(kModules));
  return facts;
}

}  // namespace

Status import_fleet(store::Store& store, const FleetFacts& facts) {
  TRY(check_fleet(facts));
  return store.transaction([&]() -> Status {
    TRY(put_modules(store, facts));
    TRY(put_machines(store, facts));
    TRY(store.set_setting("fleet", facts_text(facts)));
    for (const auto& machine : facts.machines) {
      TRY(put_assignments(store, machine));
      TRY(issue_host(store, facts, machine.name));
    }
    return put_grants(store, facts);
  });
}

Result<FleetFacts> imported_fleet(store::Store& store) {
  return with_manifests(store, TRY(store.setting("fleet")));
}

Result<FleetFacts> imported_fleet_for(store::Store& store, Text machine) {
  return with_manifests(store, TRY(store.first(kFactsFor, machine)));
}

}  // namespace berth::catalogue
