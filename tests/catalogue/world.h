#pragma once
// The world of the catalogue's tests: a small fleet as its document says it, and the operator's store.
#include <string>
#include <vector>

#include "base/error.h"
#include "base/fields.h"
#include "base/json.h"
#include "catalogue/catalogue.h"
#include "catalogue/manifest.h"
#include "catch.h"
#include "tests/support/fakes.h"

namespace berth::test {

inline constexpr std::string_view kSeat = catalogue::kRuntimeSeat;

inline const char* kWeb = R"({
  "name": "web", "claims": [], "capabilities": [],
  "settings": {"port": {"default": 8080, "meaning": "where the page is published", "cost": "recreate"}},
  "resources": [{"id": "page", "type": "container",
                 "spec": {"name": "web", "image": "berth-practice:1", "ports": [{"target": 80, "published": "${setting:port}"}]}}],
  "tools": []})";

inline catalogue::MachineFacts machine(const std::string& name, char id, std::vector<std::string> modules) {
  return {name,
          std::string(32, id),
          "debian-12",
          "operator",
          {"package-manager", "service-manager", "privileged"},
          std::move(modules),
          {}};
}

/// Two machines as the practice fleet has them.
inline catalogue::FleetFacts small_fleet() {
  catalogue::FleetFacts fleet;
  fleet.source = "fleet.json";
  fleet.bus = {"nats://10.0.0.2:4222", "alder", "broker"};
  fleet.reach = {{"mesh-artifact-store", "registry.mesh:5000"}};
  fleet.machines = {machine("alder", 'a', {"docker", "broker", "web"}),
                    machine("birch", 'b', {"web", "docker", "dnsmasq", "private-network"})};
  fleet.settings = {{"broker", R"({"image": "berth-broker:1", "network-mode": "host"})"}};
  fleet.grants = {{"operator", "*", {"*"}, "read"},
                  {"operator", "*", {"start", "stop", "restart"}, "act"},
                  {"console", "*", {"*"}, "read"}};
  fleet.releases["with_holder"] = {
      "1.1.0",
      {{"debian-12", {"file:///r/berth-1.1.0.tar.gz", std::string(64, '0'), "c2ln"}},
       {"debian-13", {"file:///r/berth-1.1.0-13.tar.gz", std::string(64, '1'), "c2ln"}}}};
  fleet.manifests = {{"modules/web.json", kWeb}};
  return fleet;
}

/// The docker module's eighteen.
inline Json all_tools() {
  return Json::parse(catalogue::shipped_manifest_texts().at("schema/modules/docker.json"))["tools"];
}

inline Json holder_says(const std::string& machine, const std::string& socket = "/run/docker.sock") {
  return {{"machine", machine},
          {"seat", nullptr},
          {"module", nullptr},
          {"held", false},
          {"engine", {{"kind", "docker"}, {"name", "Docker"}, {"socket", socket}, {"answering", true}}},
          {"verbs", {"list", "inspect", "logs", "stats", "start", "stop", "restart", "create", "remove"}},
          {"tools", all_tools()},
          {"events", {"created", "started", "stopped", "died", "removed", "health", "gap"}},
          {"version", "1.1.0"},
          {"store", "0a1b2c3d"}};
}

/// The operator's store, with a fleet in it.
struct CatalogueWorld {
  TempFolder folder;
  HandClock clock;
  ScriptedSeam seam;
  store::Store store = store::Store::open(folder / "fleet.db", store::Role::fleet, clock, seam).value();

  explicit CatalogueWorld(const catalogue::FleetFacts& fleet = small_fleet()) {
    taken(catalogue::import_fleet(store, fleet));
  }

  static void taken(const Status& status) {
    if (!status) FAIL(to_text(status.error()));
  }
  void hold(const std::string& machine, const std::string& socket = "/run/docker.sock") {
    taken(catalogue::seed_seat(store, kSeat));
    taken(catalogue::register_holder(store, machine, kSeat, holder_says(machine, socket)));
  }
  Json push(const std::string& machine, const std::vector<catalogue::Record>& now = {},
            catalogue::PushKind kind = catalogue::PushKind::apply) {
    auto composed = compose(machine, now, kind);
    if (!composed) FAIL(to_text(composed.error()));
    return std::move(composed).value();
  }
  Result<Json> compose(const std::string& machine, const std::vector<catalogue::Record>& now = {},
                       catalogue::PushKind kind = catalogue::PushKind::apply) {
    catalogue::PushOrder order;
    order.machine = machine;
    order.kind = kind;
    order.runner = "operator@desk";
    return catalogue::compose(store, order, now);
  }
};

/// One resource of a push, null when it is not there.
inline Json resource_in(const Json& push, const std::string& record) {
  for (const auto& module : push["declaration"]["modules"]) {
    for (const auto& resource : module["resources"]) {
      if (module["name"].get<std::string>() + "." + resource["id"].get<std::string>() == record)
        return resource;
    }
  }
  return {};
}

inline catalogue::Record declared(const std::string& module, const std::string& id, const Json& resource) {
  return {module + "." + id, module, resource["type"].get<std::string>(), "declared", resource.dump()};
}

/// The records a machine would have after a push was applied.
inline std::vector<catalogue::Record> records_after(const Json& push) {
  std::vector<catalogue::Record> records;
  for (const auto& module : push["declaration"]["modules"]) {
    for (const auto& resource : module["resources"]) {
      records.push_back(
          declared(module["name"].get<std::string>(), resource["id"].get<std::string>(), resource));
    }
  }
  return records;
}

}  // namespace berth::test
