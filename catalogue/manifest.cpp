#include "catalogue/manifest.h"

#include <algorithm>
#include <set>

#include "base/fields.h"
#include "base/json.h"
#include "base/names.h"
#include "catalogue/placeholders.h"
#include "catalogue/shapes.h"
#include "schema/modules.h"

namespace berth::catalogue {
namespace {

/// "docker.json: settings.dns": where an error is, in a file and inside it.
std::string at(std::string_view file, const std::string& path) { return std::string{file} + ": " + path; }
std::string nth(std::string_view list, std::size_t i) {
  return std::string{list} + "[" + std::to_string(i) + "]";
}

Result<std::vector<Claim>> parse_claims(const Json& list, std::string_view file) {
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < list.size(); ++i) {
    Fields f{list[i], at(file, nth("claims", i))};
    claims.push_back({f.text("seat"), f.texts("verbs"), f.texts("events")});
    TRY(f.finish());
  }
  return claims;
}

Result<std::map<std::string, SettingRow>> parse_settings(const Json& object, std::string_view file) {
  std::map<std::string, SettingRow> rows;
  for (const auto& [key, value] : object.items()) {
    const auto path = at(file, "settings." + key);
    if (key == "keep")
      return fail_field(Errc::bad_request, path, path + " is a word of every module already");
    Fields f{value, path};
    if (value.is_object() && !value.contains("default"))
      f.refuse("default", "is required; null leaves it to the machine");
    SettingRow row;
    row.fallback = f.any("default").dump();
    row.meaning = f.text("meaning");
    row.cost = f.one_of("cost", {"none", "reload", "restart", "recreate"}, "");
    TRY(f.finish());
    rows.emplace(key, std::move(row));
  }
  return rows;
}

Status check_names(const Json& resources, const std::set<std::string>& ids, std::string_view file) {
  for (std::size_t i = 0; i < resources.size(); ++i) {
    for (const auto& id : ids_named(resources[i])) {
      if (ids.contains(id)) continue;
      const auto path = at(file, nth("resources", i));
      return fail_field(Errc::bad_request, path,
                        path + " waits for a change of \"" + id + "\", which is no resource here");
    }
  }
  return {};
}

Status check_resources(const Json& list, const Manifest& manifest, std::string_view file) {
  std::set<std::string> ids;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto path = at(file, nth("resources", i));
    TRY(check_shape(list[i], path));
    if (!ids.insert(list[i]["id"].get<std::string>()).second) {
      return fail_field(Errc::bad_request, path, path + ".id stands twice in this module");
    }
    TRY(check_placeholders(list[i], manifest, path));
  }
  return check_names(list, ids, file);
}

}  // namespace

const Claim* Manifest::claim_of(std::string_view seat) const {
  const auto at = std::ranges::find(claims, seat, &Claim::seat);
  return at == claims.end() ? nullptr : &*at;
}

Result<Manifest> parse_manifest(std::string_view text, std::string_view file) {
  const auto document = TRY(parse_json(text, file));
  Manifest manifest;
  Fields f{document, at(file, "the manifest")};
  manifest.name = f.text("name");
  const auto& claims = f.array("claims");
  manifest.capabilities = f.texts("capabilities");
  const auto& settings = f.object("settings");
  const auto& resources = f.array("resources");
  manifest.tools = f.texts("tools");
  TRY(f.finish());
  if (const auto name = ModuleName::parse(manifest.name); !name) {
    return fail_field(Errc::bad_request, "name", at(file, "name: ") + name.error().detail);
  }
  manifest.claims = TRY(parse_claims(claims, file));
  manifest.settings = TRY(parse_settings(settings, file));
  TRY(check_resources(resources, manifest, file));
  manifest.resources = resources.dump();
  return manifest;
}

std::map<std::string, std::string> shipped_manifest_texts() {
  std::map<std::string, std::string> texts;
  for (const auto& file : schema::modules::all_modules()) {
    texts.emplace("schema/modules/" + std::string{file.name} + ".json", file.text);
  }
  return texts;
}

Result<std::map<std::string, Manifest>> shipped_manifests() {
  std::map<std::string, Manifest> manifests;
  for (const auto& [file, text] : shipped_manifest_texts()) {
    auto manifest = TRY(parse_manifest(text, file));
    auto name = manifest.name;
    manifests.emplace(std::move(name), std::move(manifest));
  }
  return manifests;
}

}  // namespace berth::catalogue
