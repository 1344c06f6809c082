#include "migrate/containers.h"

#include <map>

#include "base/clock.h"
#include "base/json.h"

namespace berth::migrate {
namespace {

std::map<std::string, const Json*> by_id(const Json& containers) {
  std::map<std::string, const Json*> map;
  for (const auto& container : containers) map[container.value("id", "")] = &container;
  return map;
}

bool runs(const Json& container) { return container.value("pid", std::int64_t{0}) > 0; }

/// Read as an instant: the command line drops the zeros that a stamp ends in, the holder writes nine digits.
bool same_instant(const std::string& a, const std::string& b) {
  const auto left = parse_rfc3339(a);
  const auto right = parse_rfc3339(b);
  return left && right ? *left == *right : a == b;
}

bool same_process(const Json& a, const Json& b) {
  return a.value("pid", std::int64_t{0}) == b.value("pid", std::int64_t{0}) &&
         same_instant(a.value("started_at", ""), b.value("started_at", ""));
}

}  // namespace

Kinship compare_containers(const Json& before, const Json& after) {
  Kinship kinship;
  const auto now = by_id(after);
  const auto then = by_id(before);
  for (const auto& [id, container] : then) {
    if (!runs(*container)) continue;
    const auto name = container->value("name", id);
    const auto at = now.find(id);
    const auto restarts = [](const Json& c) { return c.value("restarts", std::int64_t{0}); };
    if (at == now.end() || !runs(*at->second)) {
      kinship.ended.push_back(name);
    } else if (same_process(*container, *at->second)) {
      kinship.same.push_back(name);
    } else {
      (restarts(*at->second) > restarts(*container) ? kinship.ended : kinship.restarted).push_back(name);
    }
  }
  for (const auto& [id, container] : now) {
    if (!then.contains(id)) kinship.fresh.push_back(container->value("name", id));
  }
  return kinship;
}

Json kinship_document(const Kinship& kinship) {
  return {{"same", kinship.same.size()},
          {"restarted", kinship.restarted},
          {"ended", kinship.ended},
          {"new", kinship.fresh}};
}

Status no_restarts(const Kinship& kinship, const std::string& machine) {
  if (kinship.restarted.empty()) return {};
  std::string names;
  for (const auto& name : kinship.restarted) names += (names.empty() ? "" : ", ") + name;
  return fail(Errc::failed, machine + ": restarted: " + names);
}

}  // namespace berth::migrate
