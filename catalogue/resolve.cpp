#include "catalogue/resolve.h"

#include <algorithm>
#include <set>

#include "base/fields.h"
#include "base/json.h"
#include "catalogue/placeholders.h"
#include "catalogue/platform.h"
#include "catalogue/settings.h"
#include "catalogue/shapes.h"

namespace berth::catalogue {
namespace {

/// All that filling one module on one machine looks at.
struct Scope {
  const FleetFacts& fleet;
  const MachineFacts& machine;
  const Manifest& manifest;
  Json settings;
  std::set<std::string> kept;
  std::set<std::string> left_out{};  // settings whose resource is not declared now
};

Result<Scope> scope_of(const FleetFacts& fleet, const MachineFacts& machine, const Manifest& manifest,
                       const Computed& computed) {
  auto settings = TRY(effective_settings(fleet, machine, manifest));
  auto kept = TRY(kept_keys(fleet, machine, manifest.name));
  Scope scope{fleet, machine, manifest, std::move(settings), std::move(kept)};
  for (const auto& [where, text] : computed) {
    if (where.first != manifest.name) continue;
    if (text)
      scope.settings[where.second] = *text;
    else
      scope.left_out.insert(where.second);
  }
  return scope;
}

/// Where a seat's service is reached; empty when nobody on the fleet offers it.
std::string reach_of(const FleetFacts& fleet, const std::string& seat) {
  const auto at = fleet.reach.find(seat);
  if (at != fleet.reach.end()) return at->second;
  return seat == "mesh-bus" ? fleet.bus.url : "";
}

Lookup lookup_in(const Scope& scope) {
  return [&scope](const Placeholder& placeholder) -> Result<Json> {
    switch (placeholder.source) {
      case Placeholder::Source::seat_reach:
        return Json(reach_of(scope.fleet, placeholder.name));
      case Placeholder::Source::machine:
        return Json(placeholder.name == "name" ? scope.machine.name : scope.machine.account);
      case Placeholder::Source::setting:
        return scope.settings.value(placeholder.name, Json{});
    }
    return Json{};
  };
}

/// A file's content may be a document in the manifest; on the machine it is that document's text.
void write_out_content(Json& resource) {
  if (resource.value("type", "") != "file" || !resource.contains("content")) return;
  if (resource["content"].is_object()) resource["content"] = resource["content"].dump(2) + "\n";
}

void drop_kept(Json& resource, const std::set<std::string>& kept) {
  if (resource.value("type", "") != "json") return;
  // Every member may have come out empty: the resource stays and owns nothing.
  if (!resource.contains("into")) resource["into"] = Json::object();
  for (const auto& key : kept) resource["into"].erase(key);
}

bool asks_for_left_out(const Json& resource, const Scope& scope) {
  const auto text = resource.dump();
  return std::ranges::any_of(scope.left_out, [&](const std::string& setting) {
    return text.find("${setting:" + setting + "}") != std::string::npos;
  });
}

/// What is not declared cannot change: its id goes from the lists of what others wait for.
void forget_left_out(Json& resource, const std::set<std::string>& ids) {
  const auto prune = [&](Json& list) {
    list.erase(std::remove_if(list.begin(), list.end(),
                              [&](const Json& id) { return ids.contains(id.get<std::string>()); }),
               list.end());
    return list.empty();
  };
  if (resource.contains("on_change") && prune(resource["on_change"]["of"])) resource.erase("on_change");
  if (resource.contains("restart_on_change_of") && prune(resource["restart_on_change_of"])) {
    resource.erase("restart_on_change_of");
  }
}

/// The resource as pushed, or null where it is left out: this platform has no such package, say.
Result<Json> resolve_resource(const Json& resource, const Scope& scope, const std::string& path) {
  if (asks_for_left_out(resource, scope)) return Json{};
  auto resolved = resource;
  if (resolved["type"] == "package") {
    const auto name = TRY(package_name(resolved["name"], scope.machine.platform, path + ".name"));
    if (!name) return Json{};
    resolved["name"] = *name;
  }
  resolved = TRY(fill(resolved, lookup_in(scope), path));
  drop_kept(resolved, scope.kept);
  write_out_content(resolved);
  TRY(fill_release(resolved, scope.fleet, scope.machine.platform, path));
  TRY(check_resolved(resolved, path));
  TRY(check_filled(resolved, path));
  return resolved;
}

}  // namespace

Result<Json> resolve_module(const FleetFacts& fleet, const MachineFacts& machine, const Manifest& manifest,
                            const Computed& computed) {
  const auto scope = TRY(scope_of(fleet, machine, manifest, computed));
  Json claims = Json::array();
  for (const auto& claim : manifest.claims) claims.push_back(claim.seat);
  Json resources = Json::array();
  std::set<std::string> left_out;
  const auto declared = TRY(parse_json(manifest.resources, manifest.name));
  for (const auto& resource : declared) {
    const auto path = machine.name + ": " + manifest.name + "." + resource["id"].get<std::string>();
    if (auto resolved = TRY(resolve_resource(resource, scope, path)); !resolved.is_null()) {
      resources.push_back(std::move(resolved));
    } else {
      left_out.insert(resource["id"].get<std::string>());
    }
  }
  for (auto& resource : resources) forget_left_out(resource, left_out);
  return Json{
      {"name", manifest.name}, {"assignment", manifest.name}, {"claims", claims}, {"resources", resources}};
}

}  // namespace berth::catalogue
