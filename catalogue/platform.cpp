#include "catalogue/platform.h"

#include <string_view>
#include <utility>

#include "base/json.h"

namespace berth::catalogue {
namespace {

/// Which package manager a platform has; empty when we know none.
std::string package_manager(const std::string& platform) {
  constexpr std::pair<std::string_view, std::string_view> kManagers[] = {
      {"debian", "apt"}, {"ubuntu", "apt"}, {"fedora", "dnf"}, {"rhel", "dnf"}, {"rocky", "dnf"}, {"arch", "pacman"}};
  const auto name = std::string_view{platform}.substr(0, platform.find('-'));
  for (const auto& [system, manager] : kManagers) {
    if (name == system) return std::string{manager};
  }
  return {};
}

Error unsaid(const std::string& path, const std::string& what) {
  return fail_field(Errc::unfilled, path, path + " says nothing for " + what);
}

}  // namespace

Result<std::optional<std::string>> package_name(const Json& name, const std::string& platform,
                                                const std::string& path) {
  using Name = std::optional<std::string>;
  if (name.is_null()) return Name{};
  if (name.is_string()) return Name{name.get<std::string>()};
  if (!name.is_object())
    return fail_field(Errc::bad_request, path, path + " must be a text or names by package manager");
  const auto manager = package_manager(platform);
  for (const auto& key : {manager, platform}) {
    if (!key.empty() && name.contains(key)) return package_name(name[key], platform, path + "." + key);
  }
  return unsaid(path, platform);
}

Status fill_release(Json& resource, const FleetFacts& fleet, const std::string& platform,
                    const std::string& path) {
  if (!resource.contains("release")) return {};
  const auto name = resource["release"].get<std::string>();
  const auto release = fleet.releases.find(name);
  if (release == fleet.releases.end()) return unsaid(path + ".release: " + fleet.source, "releases." + name);
  const auto artifact = release->second.platforms.find(platform);
  if (artifact == release->second.platforms.end()) {
    return unsaid(path + ".release: " + fleet.source, "releases." + name + ".platforms." + platform);
  }
  resource.erase("release");
  resource["version"] = release->second.version;
  resource["artifact"] = {{"artifact", artifact->second.artifact},
                          {"sha256", artifact->second.sha256},
                          {"signature", artifact->second.signature}};
  return {};
}

}  // namespace berth::catalogue
