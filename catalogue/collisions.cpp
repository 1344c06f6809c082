#include "catalogue/collisions.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace berth::catalogue {
namespace {

/// One resource with the module that declares it.
struct Owned {
  std::string owner;  // "docker.daemon"
  bool has_seat;      // its module claims a seat
  const Json& resource;
  std::string type() const { return resource["type"].get<std::string>(); }
};

std::vector<Owned> all_owned(const Json& modules) {
  std::vector<Owned> owned;
  for (const auto& module : modules) {
    const auto name = module["name"].get<std::string>();
    for (const auto& resource : module["resources"]) {
      owned.push_back({name + "." + resource["id"].get<std::string>(), !module["claims"].empty(), resource});
    }
  }
  return owned;
}

Error collision(const std::string& machine, const std::string& what, const std::string& one,
                const std::string& other) {
  return fail_field(Errc::collision, one, machine + ": " + one + " and " + other + " both declare " + what);
}

using Claim = std::pair<std::string, std::string>;

/// Groups may be declared by any number of modules, for they are only added; shell and home are one's.
std::vector<Claim> claims_of_user(const Json& resource) {
  std::vector<Claim> claims;
  for (const auto* key : {"shell", "home"}) {
    if (resource.contains(key))
      claims.emplace_back(std::string{"the "} + key + " of account", resource["name"].get<std::string>());
  }
  return claims;
}

/// What a resource is alone in owning: {"unit", "docker.service"}. Nothing for one that owns a part.
std::vector<Claim> claims_of(const Json& resource) {
  const auto type = resource["type"].get<std::string>();
  if (type == "user") return claims_of_user(resource);
  if (type == "package") return {{"the package", resource["name"].get<std::string>()}};
  if (type == "service" || type == "process") return {{"the unit", resource["unit"].get<std::string>()}};
  if (type == "container" && resource["spec"].contains("name")) {
    return {{"the container", resource["spec"]["name"].get<std::string>()}};
  }
  if (type == "file") return {{"the file", resource["path"].get<std::string>()}};
  return {};
}

Status check_whole(const std::vector<Owned>& owned, const std::string& machine) {
  std::map<Claim, std::string> first;
  for (const auto& one : owned) {
    for (const auto& claim : claims_of(one.resource)) {
      const auto [at, fresh] = first.emplace(claim, one.owner);
      if (!fresh) return collision(machine, claim.first + " " + claim.second, at->second, one.owner);
    }
  }
  return {};
}

/// Two owners of parts of one file.
Status check_pair(const Owned& one, const Owned& other, const std::string& machine) {
  const auto path = one.resource["path"].get<std::string>();
  if (other.resource["path"] != path) return {};
  if (one.type() == "file" || other.type() == "file" || one.has_seat || other.has_seat) {
    return collision(machine, "the file " + path, one.owner, other.owner);
  }
  for (const auto& [key, value] : one.resource["into"].items()) {
    if (other.resource["into"].contains(key)) {
      return collision(machine, "the member " + key + " of " + path, one.owner, other.owner);
    }
  }
  return {};
}

}  // namespace

Status check_collisions(const Json& modules, const std::string& machine) {
  auto owned = all_owned(modules);
  TRY(check_whole(owned, machine));
  std::vector<const Owned*> files;
  for (const auto& one : owned) {
    if (one.type() == "file" || one.type() == "json") files.push_back(&one);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = i + 1; j < files.size(); ++j) {
      if (files[i]->type() != "file" || files[j]->type() != "file")
        TRY(check_pair(*files[i], *files[j], machine));
    }
  }
  return {};
}

}  // namespace berth::catalogue
