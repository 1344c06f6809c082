#include "migrate/fleet_parts.h"

#include <algorithm>
#include <set>

#include "base/fields.h"
#include "base/json.h"
#include "base/names.h"

namespace berth::migrate {
namespace {

/// It is put into units and files, so nothing else may pass for one.
bool is_account(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto may_follow = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; };
  return !name.empty() && name.size() <= 32 && is_letter(name.front()) && std::ranges::all_of(name, may_follow);
}

bool is_hex(const std::string& text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// A version is also the name of a folder.
bool is_version(const std::string& text) {
  const auto allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+~-_";
  return !text.empty() && text.size() <= 64 && text.find_first_not_of(allowed) == std::string::npos &&
         text[0] != '.' && text[0] != '-';
}

Result<catalogue::MachineFacts> parse_machine(const std::string& name, const Json& section) {
  const auto path = "machines." + name;
  if (const auto parsed = MachineName::parse(name); !parsed)
    return fail_field(Errc::bad_request, path, path + ": " + parsed.error().detail);
  Fields f{section, path};
  catalogue::MachineFacts machine;
  machine.name = name;
  machine.machine_id = f.text("machine_id");
  if (!machine.machine_id.empty() && !is_hex(machine.machine_id, 32))
    f.refuse("machine_id", "must be 32 hexadecimal digits, as /etc/machine-id has them");
  machine.platform = f.text("platform");
  machine.account = f.text("account", "root");
  if (!is_account(machine.account))
    f.refuse("account", "must be an account's name: a letter or _, then at most 31 of letters, digits, _ . and -");
  machine.capabilities = f.texts("capabilities");
  machine.modules = f.texts("modules");
  const Json settings = f.object("settings");
  TRY(f.finish());
  std::set<std::string> seen;
  for (const auto& module : machine.modules) {
    if (const auto parsed = ModuleName::parse(module); !parsed)
      return fail_field(Errc::bad_request, path + ".modules", path + ".modules: " + parsed.error().detail);
    if (!seen.insert(module).second)
      return fail_field(Errc::bad_request, path + ".modules", path + ".modules names " + module + " twice");
  }
  machine.settings = TRY(parse_settings(settings, path + ".settings"));
  return machine;
}

Result<catalogue::ArtifactFacts> parse_artifact(const Json& section, std::string path) {
  Fields f{section, std::move(path)};
  catalogue::ArtifactFacts artifact{f.text("artifact"), f.text("sha256"), f.text("signature")};
  const auto& url = artifact.artifact;
  if (!url.empty() && !url.starts_with("file://") && !url.starts_with("http://") &&
      !url.starts_with("https://")) {
    f.refuse("artifact", "must begin file://, http:// or https://");
  }
  if (!artifact.sha256.empty() && !is_hex(artifact.sha256, 64))
    f.refuse("sha256", "must be 64 hexadecimal digits");
  TRY(f.finish());
  return artifact;
}

Result<catalogue::ReleaseFacts> parse_release(const std::string& name, const Json& section) {
  const auto path = "releases." + name;
  Fields f{section, path};
  catalogue::ReleaseFacts release;
  release.version = f.text("version");
  if (!release.version.empty() && !is_version(release.version))
    f.refuse("version", "must be letters, digits and . + ~ - _, at most 64");
  const Json platforms = f.object("platforms");
  TRY(f.finish());
  for (const auto& [platform, artifact] : platforms.items()) {
    release.platforms.emplace(platform, TRY(parse_artifact(artifact, path + ".platforms." + platform)));
  }
  return release;
}

}  // namespace

Result<std::map<std::string, std::string>> parse_reach(const Json& section) {
  Fields f{section, "reach"};
  std::map<std::string, std::string> reach;
  for (const auto& [seat, value] : section.items()) reach.emplace(seat, f.text(seat));
  TRY(f.finish());
  return reach;
}

Result<std::vector<catalogue::MachineFacts>> parse_machines(const Json& section) {
  std::vector<catalogue::MachineFacts> machines;
  std::map<std::string, std::string> ids;
  for (const auto& [name, value] : section.items()) {
    auto machine = TRY(parse_machine(name, value));
    if (const auto [at, fresh] = ids.emplace(machine.machine_id, name); !fresh) {
      const auto field = "machines." + name + ".machine_id";
      return fail_field(
          Errc::bad_request, field,
          field + " is that of " + at->second + " too: machines made from one image need ids of their own");
    }
    machines.push_back(std::move(machine));
  }
  if (machines.empty()) return fail_field(Errc::bad_request, "machines", "machines names none");
  return machines;
}

Result<std::map<std::string, std::string>> parse_settings(const Json& section, std::string path) {
  Fields f{section, std::move(path)};
  std::map<std::string, std::string> settings;
  for (const auto& [module, values] : section.items()) settings.emplace(module, f.object(module).dump());
  TRY(f.finish());
  return settings;
}

Result<std::vector<catalogue::GrantFacts>> parse_grants(
    const Json& list, const std::vector<catalogue::MachineFacts>& machines) {
  std::vector<catalogue::GrantFacts> grants;
  for (const auto& item : list) {
    Fields f{item, "grants[" + std::to_string(grants.size()) + "]"};
    catalogue::GrantFacts grant{f.text("caller"), f.text("machine"), f.texts("verbs"),
                                f.one_of("class", {"read", "act"}, "")};
    if (const auto caller = CallerName::parse(grant.caller); !grant.caller.empty() && !caller)
      f.refuse("caller", "is wrong: " + caller.error().detail);
    const bool known =
        grant.machine == "*" ||
        std::ranges::find(machines, grant.machine, &catalogue::MachineFacts::name) != machines.end();
    if (!grant.machine.empty() && !known)
      f.refuse("machine", "names " + grant.machine + ", which is no machine of the fleet");
    if (grant.verbs.empty()) f.refuse("verbs", "names none");
    if (grant.cls == "act" && std::ranges::find(grant.verbs, "*") != grant.verbs.end()) {
      f.refuse("verbs", "\"*\" reaches reading verbs only: name each verb that changes something");
    }
    TRY(f.finish());
    grants.push_back(std::move(grant));
  }
  return grants;
}

Result<std::map<std::string, catalogue::ReleaseFacts>> parse_releases(const Json& section) {
  Fields f{section, "releases"};
  std::map<std::string, catalogue::ReleaseFacts> releases;
  std::map<std::string, std::string> versions;
  for (const std::string name : {"start", "with_holder", "without_cli"}) {
    if (!f.has(name))
      return fail_field(Errc::bad_request, "releases." + name, "releases." + name + " is required");
    auto release = TRY(parse_release(name, f.object(name)));
    if (const auto [at, fresh] = versions.emplace(release.version, name); !fresh) {
      const auto field = "releases." + name + ".version";
      return fail_field(Errc::bad_request, field,
                        field + " is that of releases." + at->second + " too: a step would change nothing");
    }
    releases.emplace(name, std::move(release));
  }
  TRY(f.finish());
  return releases;
}

}  // namespace berth::migrate
