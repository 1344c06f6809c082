#include "catalogue/settings.h"

#include "base/fields.h"
#include "base/json.h"

namespace berth::catalogue {
namespace {

struct Layer {
  std::string path;  // "settings.docker", "machines.alder.settings.docker"
  Json values;
};

Result<Layer> read_layer(const FleetFacts& fleet, std::string path,
                         const std::map<std::string, std::string>& settings, std::string_view module) {
  path = fleet.source + ": " + path + "." + std::string{module};
  const auto at = settings.find(std::string{module});
  if (at == settings.end()) return Layer{std::move(path), Json::object()};
  auto values = TRY(parse_json(at->second, path));
  if (!values.is_object()) return fail_field(Errc::bad_request, path, path + " must be an object");
  return Layer{std::move(path), std::move(values)};
}

Result<Layer> fleet_layer(const FleetFacts& fleet, std::string_view module) {
  return read_layer(fleet, "settings", fleet.settings, module);
}
Result<Layer> machine_layer(const FleetFacts& fleet, const MachineFacts& machine, std::string_view module) {
  return read_layer(fleet, "machines." + machine.name + ".settings", machine.settings, module);
}

std::string known_settings(const Manifest& manifest) {
  std::string names;
  for (const auto& [key, row] : manifest.settings) names += (names.empty() ? "" : ", ") + key;
  return names.empty() ? "none" : names;
}

/// Numbers of any kind are one type; null on either side says nothing.
bool same_type(const Json& fallback, const Json& value) {
  if (fallback.is_null() || value.is_null()) return true;
  if (fallback.is_number()) return value.is_number();
  return fallback.type() == value.type();
}

Status lay_over(Json& settings, const Layer& layer, const Manifest& manifest) {
  for (const auto& [key, value] : layer.values.items()) {
    if (key == "keep") continue;
    const auto row = manifest.settings.find(key);
    const auto path = layer.path + "." + key;
    if (row == manifest.settings.end()) {
      return fail_field(Errc::bad_request, path,
                        path + ": the module has no such setting; it has " + known_settings(manifest));
    }
    const auto fallback = TRY(parse_json(row->second.fallback, path));
    if (!same_type(fallback, value)) {
      return fail_field(Errc::bad_request, path,
                        path + " must be of the type of its default, " + row->second.fallback);
    }
    settings[key] = value;
  }
  return {};
}

Status add_kept(std::set<std::string>& kept, const Layer& layer) {
  const auto list = layer.values.value("keep", Json::array());
  for (const auto& key : list) {
    if (!list.is_array() || !key.is_string()) {
      return fail_field(Errc::bad_request, layer.path + ".keep", layer.path + ".keep must be a list of keys");
    }
    kept.insert(key.get<std::string>());
  }
  return {};
}

}  // namespace

Result<Json> effective_settings(const FleetFacts& fleet, const MachineFacts& machine,
                                const Manifest& manifest) {
  Json settings = Json::object();
  for (const auto& [key, row] : manifest.settings) {
    settings[key] = TRY(parse_json(row.fallback, manifest.name + ": settings." + key));
  }
  TRY(lay_over(settings, TRY(fleet_layer(fleet, manifest.name)), manifest));
  TRY(lay_over(settings, TRY(machine_layer(fleet, machine, manifest.name)), manifest));
  return settings;
}

Result<std::set<std::string>> kept_keys(const FleetFacts& fleet, const MachineFacts& machine,
                                        std::string_view module) {
  std::set<std::string> kept;
  TRY(add_kept(kept, TRY(fleet_layer(fleet, module))));
  TRY(add_kept(kept, TRY(machine_layer(fleet, machine, module))));
  return kept;
}

}  // namespace berth::catalogue
