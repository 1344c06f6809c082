#include "catalogue/facts.h"

#include <algorithm>

#include "base/fields.h"
#include "base/json.h"
#include "catalogue/facts_json.h"

namespace berth::catalogue {
namespace {

Json machine_json(const MachineFacts& machine) {
  return {
      {"name", machine.name},        {"machine_id", machine.machine_id},     {"platform", machine.platform},
      {"account", machine.account},  {"capabilities", machine.capabilities}, {"modules", machine.modules},
      {"settings", machine.settings}};
}

Json releases_json(const std::map<std::string, ReleaseFacts>& releases) {
  Json out = Json::object();
  for (const auto& [name, release] : releases) {
    Json platforms = Json::object();
    for (const auto& [platform, a] : release.platforms) {
      platforms[platform] = {{"artifact", a.artifact}, {"sha256", a.sha256}, {"signature", a.signature}};
    }
    out[name] = {{"version", release.version}, {"platforms", platforms}};
  }
  return out;
}

std::map<std::string, std::string> texts_of(const Json& object) {
  return object.get<std::map<std::string, std::string>>();
}

MachineFacts machine_from(const Json& j) {
  return {j.at("name"),         j.at("machine_id"), j.at("platform"),          j.at("account"),
          j.at("capabilities"), j.at("modules"),    texts_of(j.at("settings"))};
}

std::map<std::string, ReleaseFacts> releases_from(const Json& object) {
  std::map<std::string, ReleaseFacts> releases;
  for (const auto& [name, release] : object.items()) {
    auto& facts = releases[name];
    facts.version = release.at("version");
    for (const auto& [platform, a] : release.at("platforms").items()) {
      facts.platforms[platform] = {a.at("artifact"), a.at("sha256"), a.at("signature")};
    }
  }
  return releases;
}

}  // namespace

const MachineFacts* FleetFacts::find_machine(std::string_view machine) const {
  const auto at = std::ranges::find(machines, machine, &MachineFacts::name);
  return at == machines.end() ? nullptr : &*at;
}

std::string facts_text(const FleetFacts& facts) {
  Json machines = Json::array();
  for (const auto& machine : facts.machines) machines.push_back(machine_json(machine));
  const Json document = {{"name", facts.name},
                         {"source", facts.source},
                         {"bus",
                          {{"url", facts.bus.url},
                           {"broker_machine", facts.bus.broker_machine},
                           {"broker_module", facts.bus.broker_module},
                           {"nkeys", facts.bus.nkeys}}},
                         {"reach", facts.reach},
                         {"machines", machines},
                         {"settings", facts.settings},
                         {"releases", releases_json(facts.releases)}};
  return document.dump();
}

Result<FleetFacts> facts_from(std::string_view text) {
  const auto document = TRY(parse_json(text, "the store's fleet facts"));
  try {
    FleetFacts facts;
    facts.name = document.at("name");
    facts.source = document.at("source");
    const auto& bus = document.at("bus");
    facts.bus = {bus.at("url"), bus.at("broker_machine"), bus.at("broker_module"),
                 texts_of(bus.value("nkeys", Json::object()))};
    facts.reach = texts_of(document.at("reach"));
    for (const auto& machine : document.at("machines")) facts.machines.push_back(machine_from(machine));
    facts.settings = texts_of(document.at("settings"));
    facts.releases = releases_from(document.at("releases"));
    return facts;
  } catch (const Json::exception& error) {
    return fail(Errc::failed,
                std::string{"the store's fleet facts are not what import wrote: "} + error.what());
  }
}

}  // namespace berth::catalogue
