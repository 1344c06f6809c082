// Rooms that may not include each other, and must agree all the same: the catalogue writes what holder and
// host read.
#include <algorithm>

#include "base/config.h"
#include "base/file.h"
#include "catalogue/manifest.h"
#include "catalogue/verbs.h"
#include "holder/client/spec.h"
#include "holder/serve/holder_config.h"
#include "holder/verbs/table.h"
#include "host/resources/resource.h"
#include "tests/catalogue/world.h"

using namespace berth;  // NOLINT: a test reads better
using test::CatalogueWorld;

namespace {

const std::filesystem::path kPractice = std::filesystem::path{BERTH_TREE} / "scripts/practice";

catalogue::Manifest docker() { return catalogue::shipped_manifests().value().at("docker"); }

/// The practice fleet's first machine as its document has it.
catalogue::FleetFacts practice_fleet() {
  auto fleet = test::small_fleet();
  fleet.settings["broker"] = R"({"image": "berth-broker:1", "network-mode": "host", "volumes": [
    {"type": "bind", "source": "/etc/nats", "target": "/etc/nats", "read_only": true},
    {"type": "bind", "source": "/var/lib/nats", "target": "/var/lib/nats"}]})";
  fleet.manifests = {{"modules/web.json", read_file(kPractice / "modules/web.json").value()}};
  return fleet;
}

std::string hash_of(const Json& resource) {
  const auto spec = holder::client::parse_spec(resource["spec"], holder::client::Asker::host);
  if (!spec) FAIL(to_text(spec.error()));
  return holder::client::spec_hash(*spec);
}

}  // namespace

TEST_CASE("the seat's verbs and events are what the holder says it serves", "[agreement]") {
  const auto seat = catalogue::shipped_seats().value().front();
  auto verbs = holder::verbs::seat_verbs();
  auto events = holder::verbs::event_kinds();
  CHECK(verbs == seat.verbs);
  CHECK(events == seat.events);
}

TEST_CASE("every verb of the holder on the bus is the docker module's, of the same class", "[agreement]") {
  const auto promised = catalogue::served_verbs(docker());
  for (const auto& row : holder::verbs::verb_table()) {
    CAPTURE(row.name);
    CHECK(promised.contains(std::string{row.name}) != row.host_only);
    CHECK(catalogue::class_of_verb(row.name) == holder::verbs::to_text(row.verb_class));
  }
  const auto tools = docker().tools;
  for (const auto& tool : holder::verbs::tools()) {
    CAPTURE(tool);
    CHECK(std::ranges::find(tools, tool) != tools.end());
  }
}

TEST_CASE("the holder takes the configuration that the docker module writes", "[agreement]") {
  CatalogueWorld world;
  const auto file = test::resource_in(world.push("birch"), "docker.holder-config");
  const auto config = holder::serve::HolderConfig::parse(Json::parse(file["content"].get<std::string>()));
  if (!config) FAIL(to_text(config.error()));
  CHECK(config->machine == "birch");
  CHECK(config->bounds.containers == 32);
  CHECK(config->bus->user == "holder-birch");
}

TEST_CASE("the host takes every resource that the shipped modules resolve to", "[agreement]") {
  CatalogueWorld world{practice_fleet()};
  catalogue::PushOrder order{.machine = "alder"};
  order.new_permissions = true;
  std::vector<Json> pushes = {catalogue::compose(world.store, order, {}).value(), world.push("birch")};
  int judged = 0;
  for (const auto& push : pushes) {
    for (const auto& module : push["declaration"]["modules"]) {
      for (const auto& resource : module["resources"]) {
        CAPTURE(resource.dump());
        const auto* type = host::resources::find_type(resource["type"].get<std::string>());
        REQUIRE(type != nullptr);
        const auto checked = type->check(resource);
        if (!checked) FAIL(to_text(checked.error()));
        ++judged;
      }
    }
  }
  CHECK(judged > 20);
}

TEST_CASE("the practice fleet's containers resolve to the very specs its machines run", "[agreement]") {
  CatalogueWorld world{practice_fleet()};
  const auto push = world.push("alder");
  for (const std::string module : {"broker", "web"}) {
    const auto running = read_document(kPractice / "start" / (module + ".json")).value();
    for (const auto& resource : running["resources"]) {
      if (resource["type"] != "container") continue;
      const auto record = module + "." + resource["id"].get<std::string>();
      CAPTURE(record);
      CHECK(hash_of(test::resource_in(push, record)) == hash_of(resource));
    }
  }
}

TEST_CASE("the practice fleet's old modules keep what is theirs and lose the engine's file and unit",
          "[agreement]") {
  CatalogueWorld world{practice_fleet()};
  std::vector<catalogue::Record> now;
  for (const std::string module : {"dnsmasq", "private-network"}) {
    const auto start = read_document(kPractice / "start" / (module + ".json")).value();
    for (const auto& resource : start["resources"]) {
      now.push_back(test::declared(module, resource["id"].get<std::string>(), resource));
    }
  }
  const auto push = world.push("birch", now, catalogue::PushKind::hand_over);
  CHECK(push["give_back"] == Json{"dnsmasq.daemon", "dnsmasq.runtime", "private-network.registry-trust",
                                  "private-network.registry-trust-reload"});
  for (const std::string record : {"dnsmasq.config", "private-network.config"}) {
    const auto was = std::ranges::find(now, record, &catalogue::Record::id);
    REQUIRE(was != now.end());
    CHECK(test::resource_in(push, record) == Json::parse(was->declared));
  }
}
