#include "catalogue/facts.h"

#include "catalogue/facts_json.h"
#include "catalogue/manifest.h"
#include "tests/catalogue/world.h"

using namespace berth;             // NOLINT: a test reads better
using namespace berth::catalogue;  // NOLINT
using test::CatalogueWorld;
using test::small_fleet;

namespace {

std::string complaint(const FleetFacts& fleet) {
  const auto status = check_fleet(fleet);
  return status ? "taken" : status.error().detail;
}

}  // namespace

TEST_CASE("a fleet is imported whole, and a second time changes nothing", "[catalogue]") {
  CatalogueWorld world;
  const auto once = world.push("alder")["declaration"];
  CatalogueWorld::taken(import_fleet(world.store, small_fleet()));
  CHECK(world.push("alder")["declaration"] == once);
  const auto facts = imported_fleet(world.store).value();
  CHECK(facts.machines.size() == 2);
  CHECK(facts.releases.at("with_holder").version == "1.1.0");
  CHECK(facts.bus.broker_module == "broker");
}

TEST_CASE("a machine's own subjects are issued with the import", "[catalogue]") {
  CatalogueWorld world;
  CHECK(issue_host(world.store, imported_fleet(world.store).value(), "birch").value() ==
        Json::parse(R"({"push": "mesh.birch.host.push", "ask": "mesh.birch.host.ask",
          "report": "mesh.birch.host.report"})"));
}

TEST_CASE("what the document no longer wants is taken away, and an unlisted machine left alone",
          "[catalogue]") {
  CatalogueWorld world;
  auto less = small_fleet();
  less.machines[1].modules = {"docker"};
  CatalogueWorld::taken(import_fleet(world.store, less));
  CHECK(world.push("birch")["declaration"]["modules"].size() == 1);
}

TEST_CASE("a wrong fleet is refused naming the place, and nothing is imported", "[catalogue]") {
  CHECK(complaint(small_fleet()) == "taken");
  const auto with = [](auto change) {
    auto fleet = small_fleet();
    change(fleet);
    return complaint(fleet);
  };
  CHECK(with([](auto& f) { f.machines[0].modules.push_back("redis"); }) ==
        "fleet.json: machines.alder.modules has redis, which is no module");
  CHECK(with([](auto& f) { f.machines[0].modules.push_back("web"); }) ==
        "fleet.json: machines.alder.modules has web twice");
  CHECK(with([](auto& f) { f.machines[0].capabilities.clear(); }) ==
        "fleet.json: machines.alder.modules has docker, which needs the capability package-manager that the "
        "machine lacks");
  CHECK(with([](auto& f) { f.machines[1].machine_id = f.machines[0].machine_id; }) ==
        "fleet.json: machines.birch.machine_id is that of alder too");
  CHECK(with([](auto& f) { f.machines[1].machine_id = "xyz"; }) ==
        "fleet.json: machines.birch.machine_id must be 32 hex digits, as in /etc/machine-id");
  CHECK(with([](auto& f) { f.machines[1].name = "alder"; }) == "fleet.json: machines.alder stands twice");
  CHECK(with([](auto& f) {
          f.machines[1].name = "Birch.local";
        }).starts_with("fleet.json: machines.Birch.local is not named so"));
  CHECK(with([](auto& f) { f.settings["redis"] = "{}"; }) ==
        "fleet.json: settings.redis is of no module that there is");
  CHECK(with([](auto& f) { f.bus.broker_machine = "elm"; }) ==
        "fleet.json: bus.broker.machine is no machine of the fleet");
  CHECK(with([](auto& f) {
          f.manifests.push_back({"b/web.json", test::kWeb});
        }) == "modules/web.json and b/web.json are both the module web");
  CHECK(with([](auto& f) {
          f.grants = {{"console", "*", {"*"}, "act"}};
        }) ==
        "fleet.json: grants[0].verbs has *, which reaches reading verbs only: name each verb that changes "
        "something");
  CHECK(with([](auto& f) {
          f.grants = {{"console", "*", {"stop"}, "read"}};
        }) == "fleet.json: grants[0].verbs has stop, whose class is act and not read");
  CHECK(with([](auto& f) {
          f.grants = {{"console", "elm", {"list"}, "read"}};
        }) == "fleet.json: grants[0].machine is elm, which is no machine of the fleet");
  CHECK(with([](auto& f) {
          f.grants = {{"holder-alder", "*", {"list"}, "read"}};
        }) == "fleet.json: grants[0].caller is holder-alder, the name of a program's own bus user");

  CatalogueWorld world;
  auto wrong = small_fleet();
  wrong.machines[0].modules = {"web"};
  wrong.machines[1].modules = {"redis"};
  CHECK_FALSE(import_fleet(world.store, wrong).ok());
  CHECK(world.push("alder")["declaration"]["modules"].size() == 3);
}

TEST_CASE("two modules that claim one seat are refused on one machine, naming both", "[catalogue][seat]") {
  auto fleet = small_fleet();
  auto podman = Json::parse(shipped_manifest_texts().at("schema/modules/docker.json"));
  podman["name"] = "podman";
  fleet.manifests.push_back({"modules/podman.json", podman.dump()});
  CHECK(complaint(fleet) == "taken");  // a candidate may exist
  fleet.machines[0].modules.push_back("podman");
  const auto refused = check_fleet(fleet);
  CHECK(refused.error().code == Errc::collision);
  CHECK(refused.error().detail ==
        "fleet.json: machines.alder.modules has docker and podman, which both claim the seat "
        "node-container-runtime");
}

TEST_CASE("a module is assigned and taken away by command, judged as an import is", "[catalogue]") {
  CatalogueWorld world;
  CatalogueWorld::taken(assign(world.store, "dnsmasq", "alder"));
  CHECK(world.push("alder")["declaration"]["modules"].size() == 4);
  CatalogueWorld::taken(unassign(world.store, "dnsmasq", "alder"));
  CHECK(world.push("alder")["declaration"]["modules"].size() == 3);
  CHECK(assign(world.store, "redis", "alder").error().code == Errc::not_found);
  CHECK(assign(world.store, "web", "elm").error().code == Errc::not_found);
  CHECK(unassign(world.store, "broker", "alder").error().detail ==
        "fleet.json: bus.broker.module is not assigned to alder");
}

namespace {

/// The facts of one machine, as the whole says them.
std::string from_the_whole(CatalogueWorld& world, const std::string& machine) {
  auto facts = imported_fleet(world.store).value();
  std::erase_if(facts.machines, [&](const auto& one) { return one.name != machine; });
  return facts_text(facts);
}
std::string for_one(CatalogueWorld& world, const std::string& machine) {
  return facts_text(imported_fleet_for(world.store, machine).value());
}

}  // namespace

TEST_CASE("what is read for one machine is what the whole says of it, whoever changed the whole", "[catalogue]") {
  CatalogueWorld world;
  const auto alike = [&] {
    for (const auto* name : {"alder", "birch", "nobody", ""}) {
      CAPTURE(name);
      CHECK(for_one(world, name) == from_the_whole(world, name));
    }
  };
  alike();
  CHECK(imported_fleet_for(world.store, "birch").value().machines.size() == 1);
  CatalogueWorld::taken(unassign(world.store, "private-network", "birch"));
  alike();
  auto less = small_fleet();
  less.machines.pop_back();
  less.reach["mesh-resolver"] = "10.0.0.9";
  CatalogueWorld::taken(import_fleet(world.store, less));
  alike();
  CHECK(imported_fleet_for(world.store, "birch").value().machines.empty());
  // As a program of the schema before it writes the setting.
  CatalogueWorld::taken(world.store.set_setting("fleet", facts_text(small_fleet())));
  alike();
  CHECK(imported_fleet_for(world.store, "birch").value().machines.size() == 1);
}
