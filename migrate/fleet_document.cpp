#include "migrate/fleet_document.h"

#include <algorithm>

#include "base/config.h"
#include "base/fields.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/names.h"
#include "bus/nkey.h"
#include "migrate/fleet_parts.h"

namespace berth::migrate {
namespace {

/// {"holder-alder": "U…"}: a bus user's name and the public half of its nkey.
Result<std::map<std::string, std::string>> read_nkeys(Fields& bus) {
  std::map<std::string, std::string> keys;
  for (const auto& [user, key] : bus.object("nkeys").items()) {
    const auto field = "bus.nkeys." + user;
    if (!CallerName::parse(user)) return fail_field(Errc::bad_request, field, field + " is no name of a bus user");
    if (!key.is_string() || !bus::is_public_nkey(key.get<std::string>()))
      return fail_field(Errc::bad_request, field, field + " must be the public key of a NATS user: U and 55 more letters");
    keys[user] = key.get<std::string>();
  }
  return keys;
}

/// The members of `bus` that are the fleet's and not the log-in's.
Result<bus::BusConfig> parse_bus(const Json& section, const std::filesystem::path& folder,
                                 catalogue::BusFacts& facts) {
  Fields f{section, "bus"};
  Fields broker{f.object("broker"), "bus.broker"};
  facts.url = f.text("url");
  if (f.has("broker")) {
    facts.broker_machine = broker.text("machine");
    facts.broker_module = broker.text("module");
    TRY(broker.finish());
  }
  facts.nkeys = TRY(read_nkeys(f));
  Json log_in = section;
  for (const auto* member : {"broker", "nkeys"}) {
    if (log_in.is_object()) log_in.erase(member);
  }
  auto config = TRY(bus::BusConfig::parse(log_in, "bus"));
  if (!config.password_file.empty()) config.password_file = folder / config.password_file;
  if (!config.creds.empty()) config.creds = folder / config.creds;
  if (!config.nkey_seed_file.empty()) config.nkey_seed_file = folder / config.nkey_seed_file;
  return config;
}

/// Reads the manifests the document brings along, and keeps a hash of each beside the document.
Result<std::vector<catalogue::ManifestFacts>> read_manifests(Fields& f, const std::filesystem::path& folder,
                                                             Json& hashes) {
  std::vector<catalogue::ManifestFacts> manifests;
  for (const auto& name : f.texts("manifests")) {
    auto text = read_file(folder / name);
    if (!text) return std::move(text).error().while_doing("manifests");
    hashes[name] = sha256_hex(*text);
    manifests.push_back({(folder / name).native(), *std::move(text)});
  }
  return manifests;
}

Status check_names(const FleetDocument& fleet) {
  const auto is_machine = [&](const std::string& name) {
    return std::ranges::find(fleet.machines, name) != fleet.machines.end();
  };
  for (const auto& name : fleet.canary) {
    if (!is_machine(name))
      return fail_field(Errc::bad_request, "canary",
                        "canary names " + name + ", which is no machine of the fleet");
  }
  const auto& broker = fleet.facts.bus;
  if (broker.broker_machine.empty()) return {};
  const auto* at = fleet.facts.find_machine(broker.broker_machine);
  if (at == nullptr) {
    return fail_field(
        Errc::bad_request, "bus.broker.machine",
        "bus.broker.machine names " + broker.broker_machine + ", which is no machine of the fleet");
  }
  if (std::ranges::find(at->modules, broker.broker_module) != at->modules.end()) return {};
  return fail_field(
      Errc::bad_request, "bus.broker.module",
      "bus.broker.module " + broker.broker_module + " is not among machines." + at->name + ".modules");
}

/// Every machine can get every release that a step brings to it.
Status check_artifacts(const FleetDocument& fleet) {
  for (const auto& machine : fleet.machines) {
    TRY(fleet.artifact("with_holder", machine));
    TRY(fleet.artifact("without_cli", machine));
  }
  return {};
}

Result<FleetDocument> parse(const Json& document, const std::filesystem::path& path) {
  const auto folder = path.parent_path();
  Fields f{document, ""};
  const auto name = FleetName::parse(f.text("name", "mesh"));
  if (!name) f.refuse("name", name.error().detail);
  const Json& bus = f.object("bus");
  if (!f.has("bus")) f.refuse("bus", "is required");
  if (!f.has("machines")) f.refuse("machines", "is required");
  if (!f.has("releases")) f.refuse("releases", "is required");
  const Json& reach = f.object("reach");
  const Json& machines = f.object("machines");
  const Json& settings = f.object("settings");
  const Json& grants = f.array("grants");
  const Json& releases = f.object("releases");
  const auto canary = f.texts("canary");
  const auto max_parallel = f.integer("max_parallel", 1, 64, 1);
  std::optional<std::chrono::seconds> deadline;
  if (f.has("release_deadline_s")) deadline = std::chrono::seconds{f.integer("release_deadline_s", 30, 3600)};
  Json hashes = Json::object();
  catalogue::FleetFacts facts;
  facts.manifests = TRY(read_manifests(f, folder, hashes));
  TRY(f.finish());
  facts.name = name->text();
  facts.source = path.native();
  auto log_in = TRY(parse_bus(bus, folder, facts.bus));
  facts.reach = TRY(parse_reach(reach));
  facts.machines = TRY(parse_machines(machines));
  facts.settings = TRY(parse_settings(settings, "settings"));
  facts.grants = TRY(parse_grants(grants, facts.machines));
  facts.releases = TRY(parse_releases(releases));
  FleetDocument fleet{path, *name, std::move(log_in), std::move(facts), {}, canary, max_parallel, deadline, {}, {}};
  for (const auto& machine : fleet.facts.machines) fleet.machines.push_back(machine.name);
  TRY(check_names(fleet));
  TRY(check_artifacts(fleet));
  const Json whole = {{"document", document}, {"manifests", hashes}};
  fleet.text = whole.dump();
  fleet.hash = canonical_hash(whole);
  return fleet;
}

}  // namespace

Result<FleetDocument> FleetDocument::load(const std::filesystem::path& given) {
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(given, ignored);
  const auto path = ignored ? given : absolute.lexically_normal();
  const auto document = TRY(read_document(path));
  auto fleet = parse(document, path);
  if (!fleet) return std::move(fleet).error().while_doing(path.native());
  return fleet;
}

const catalogue::MachineFacts& FleetDocument::machine(std::string_view name_) const {
  return *facts.find_machine(name_);
}

std::string FleetDocument::version(std::string_view release) const {
  return facts.releases.at(std::string{release}).version;
}

Result<catalogue::ArtifactFacts> FleetDocument::artifact(std::string_view release,
                                                         std::string_view name_) const {
  const auto& platforms = facts.releases.at(std::string{release}).platforms;
  const auto& platform = machine(name_).platform;
  if (const auto at = platforms.find(platform); at != platforms.end()) return at->second;
  const auto field = "releases." + std::string{release} + ".platforms";
  return fail_field(Errc::bad_request, field,
                    field + " has no " + platform + ", which " + std::string{name_} + " needs");
}

}  // namespace berth::migrate
