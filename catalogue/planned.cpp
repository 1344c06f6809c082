#include "base/fields.h"
#include "base/json.h"
#include "catalogue/compose.h"
#include "catalogue/engine_place.h"
#include "catalogue/placeholders.h"
#include "catalogue/view.h"

namespace berth::catalogue {
namespace {

/// The first setting that a value of the manifest asks for; empty when none does.
Result<std::string> setting_in(const Json& value, const std::string& path) {
  const auto placeholders = TRY(find_placeholders(value.dump(), path));
  for (const auto& placeholder : placeholders) {
    if (placeholder.source == Placeholder::Source::setting) return placeholder.name;
  }
  return std::string{};
}

Result<PlannedKey> planned_key(const std::string& key, const Json& value, const Json& in_manifest,
                               const Manifest& manifest) {
  const auto setting = TRY(setting_in(in_manifest, manifest.name + ": " + key));
  PlannedKey planned{key, value.dump(), setting, "reload"};
  if (const auto row = manifest.settings.find(planned.setting); row != manifest.settings.end())
    planned.cost = row->second.cost;
  return planned;
}

const Json* resource_named(const Json& resources, const std::string& id) {
  for (const auto& resource : resources) {
    if (resource["id"] == id) return &resource;
  }
  return nullptr;
}

}  // namespace

Result<PlannedEngine> planned_engine(store::Store& store, std::string_view machine) {
  const auto view = TRY(view_of(store, machine));
  const auto place = TRY(engine_place(view));
  if (!place) {
    return fail_field(Errc::not_found, "modules",
                      std::string{machine} + ": no assigned module writes the engine's file");
  }
  const auto& manifest = *view.runtime();
  const auto declared = TRY(parse_json(manifest.resources, manifest.name));
  const auto resolved = TRY(resolve_module(view.fleet, view.machine, manifest, {}));
  const auto& before = (*resource_named(declared, place->resource))["into"];
  const auto& after = (*resource_named(resolved["resources"], place->resource))["into"];
  PlannedEngine engine{place->module, place->file, place->unit, {}};
  for (const auto& [key, value] : after.items()) {
    engine.keys.push_back(TRY(planned_key(key, value, before[key], manifest)));
  }
  return engine;
}

}  // namespace berth::catalogue
