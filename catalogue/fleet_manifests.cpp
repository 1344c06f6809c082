#include "catalogue/fleet_manifests.h"

#include <algorithm>
#include <set>

#include "base/names.h"
#include "catalogue/verbs.h"

namespace berth::catalogue {
namespace {

struct Source {
  std::string file;
  std::string text;
  Manifest manifest;
};

/// Every manifest that counts, by module; the fleet's own over the shipped ones.
Result<std::map<std::string, Source>> sources_of(const FleetFacts& facts) {
  std::map<std::string, Source> sources;
  for (const auto& [file, text] : shipped_manifest_texts()) {
    auto manifest = TRY(parse_manifest(text, file));
    auto name = manifest.name;
    sources[name] = {file, text, std::move(manifest)};
  }
  std::map<std::string, std::string> brought;
  for (const auto& [file, text] : facts.manifests) {
    auto manifest = TRY(parse_manifest(text, file));
    auto name = manifest.name;
    if (const auto [at, fresh] = brought.emplace(name, file); !fresh) {
      return fail_field(Errc::collision, "manifests",
                        at->second + " and " + file + " are both the module " + name);
    }
    sources[name] = {file, text, std::move(manifest)};
  }
  return sources;
}

Error wrong(const FleetFacts& facts, std::size_t i, const std::string& member, const std::string& reason,
            Errc code = Errc::bad_request) {
  const auto path = "grants[" + std::to_string(i) + "]." + member;
  return fail_field(code, path, facts.source + ": " + path + " " + reason);
}

Status check_class(const FleetFacts& facts, std::size_t i, const GrantFacts& grant, const std::string& verb) {
  if (!grant.cls.empty() && grant.cls != "read" && grant.cls != "act")
    return wrong(facts, i, "class", "must be read or act");
  if (verb == "*" && grant.cls == "act") {
    return wrong(facts, i, "verbs",
                 "has *, which reaches reading verbs only: name each verb that changes something");
  }
  if (verb == "*" || grant.cls.empty()) return {};
  if (class_of_verb(verb) == grant.cls) return {};
  return wrong(
      facts, i, "verbs",
      "has " + verb + ", whose class is " + std::string{class_of_verb(verb)} + " and not " + grant.cls);
}

Status check_grantee(const FleetFacts& facts, std::size_t i, const GrantFacts& grant) {
  if (const auto caller = CallerName::parse(grant.caller); !caller)
    return wrong(facts, i, "caller", caller.error().detail);
  if (is_reserved_caller(grant.caller)) {
    return wrong(facts, i, "caller", "is " + grant.caller + ", the name of a program's own bus user");
  }
  if (grant.machine != "*" && facts.find_machine(grant.machine) == nullptr) {
    return wrong(facts, i, "machine", "is " + grant.machine + ", which is no machine of the fleet",
                 Errc::not_found);
  }
  if (grant.verbs.empty()) return wrong(facts, i, "verbs", "names none");
  return {};
}

}  // namespace

Result<std::map<std::string, Manifest>> fleet_manifests(const FleetFacts& facts) {
  std::map<std::string, Manifest> manifests;
  auto sources = TRY(sources_of(facts));
  for (auto& [name, source] : sources) manifests.emplace(name, std::move(source.manifest));
  return manifests;
}

Result<std::map<std::string, std::string>> fleet_manifest_texts(const FleetFacts& facts) {
  std::map<std::string, std::string> texts;
  auto sources = TRY(sources_of(facts));
  for (auto& [name, source] : sources) texts.emplace(name, std::move(source.text));
  return texts;
}

Result<std::vector<Grant>> expand_grants(const FleetFacts& facts,
                                         const std::map<std::string, Manifest>& manifests) {
  std::vector<Grant> rows;
  for (std::size_t i = 0; i < facts.grants.size(); ++i) {
    const auto& grant = facts.grants[i];
    TRY(check_grantee(facts, i, grant));
    for (const auto& named : grant.verbs) {
      const auto verb = own_name_of(named, manifests);
      if (!verb)
        return wrong(facts, i, "verbs", "has " + named + ", which no seat and no tool has",
                     Errc::unknown_verb);
      TRY(check_class(facts, i, grant, *verb));
      rows.push_back(
          {grant.caller, grant.machine, *verb, std::string{*verb == "*" ? "read" : class_of_verb(*verb)}});
    }
  }
  return rows;
}

}  // namespace berth::catalogue
