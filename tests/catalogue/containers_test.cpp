#include "catalogue/containers.h"

#include "tests/catalogue/world.h"

using namespace berth;             // NOLINT: a test reads better
using namespace berth::catalogue;  // NOLINT
using test::CatalogueWorld;
using test::kSeat;

namespace {

FleetFacts fleet_with_a_mount_of(const std::string& source) {
  auto fleet = test::small_fleet();
  fleet.manifests.push_back({"modules/watch.json", R"({"name": "watch", "settings": {}, "resources": [
    {"id": "app", "type": "container", "spec": {"name": "watch", "image": "x:1",
     "volumes": [{"type": "bind", "source": ")" + source +
                                                       R"(", "target": "/run/engine.sock"}]}}]})"});
  fleet.machines[0].modules.push_back("watch");
  return fleet;
}

std::string composed_on_alder(CatalogueWorld& world) {
  const auto push = world.compose("alder");
  return push ? "taken" : push.error().detail;
}

}  // namespace

TEST_CASE("a containerised assignment where the seat is unheld is refused naming the seat and its candidates",
          "[catalogue][seat]") {
  CatalogueWorld world;
  world.hold("alder");
  CHECK(world.compose("alder").ok());
  const auto proof = unheld_proof(world.store, "alder", kSeat);
  REQUIRE(proof.ok());
  CHECK((*proof)["code"] == "seat_unheld");
  CHECK((*proof)["seat"] == "node-container-runtime");
  CHECK((*proof)["candidates"] == Json{"docker", "podman"});
  CHECK((*proof)["detail"] ==
        "alder: the seat node-container-runtime is not held, so no container can be delivered for broker, "
        "web; it can be held by docker, podman");
  CHECK(holder_of(world.store, "alder", kSeat)->has_value());  // the proof changed nothing
  CHECK(world.compose("alder").ok());
}

TEST_CASE("where no assignment delivers a container the refusal is proven on one that would",
          "[catalogue][seat]") {
  auto fleet = test::small_fleet();
  fleet.machines[1].modules = {"docker", "dnsmasq"};
  CatalogueWorld world{fleet};
  CHECK(unheld_proof(world.store, "birch", kSeat).error().code == Errc::failed);  // nothing is enforced yet
  world.hold("birch");
  const auto proof = unheld_proof(world.store, "birch", kSeat);
  REQUIRE(proof.ok());
  CHECK((*proof)["code"] == "seat_unheld");
  CHECK((*proof)["candidates"] == Json{"docker", "podman"});
  CHECK(world.compose("birch").ok());
}

TEST_CASE("before the seat is enforced on a machine its containers are composed as ever",
          "[catalogue][seat]") {
  CatalogueWorld world;
  world.hold("alder");
  CHECK(world.compose("birch").ok());
}

TEST_CASE("taking the seat's module away is refused while containers need it, naming them",
          "[catalogue][seat]") {
  CatalogueWorld world;
  world.hold("alder");
  const auto refused = unassign(world.store, "docker", "alder");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Errc::seat_unheld);
  CHECK(refused.error().detail.find("broker, web") != std::string::npos);
  CHECK(world.compose("alder").ok());  // nothing changed

  auto without = test::small_fleet();
  without.machines[0].modules = {"broker", "web"};
  CHECK(import_fleet(world.store, without).error().code == Errc::seat_unheld);
  CHECK(world.compose("alder").ok());
}

TEST_CASE("once its holder is gone, a container cannot come back to an enforced machine",
          "[catalogue][seat]") {
  auto fleet = test::small_fleet();
  fleet.machines[1].modules = {"docker", "dnsmasq"};
  CatalogueWorld world{fleet};
  world.hold("birch");
  CatalogueWorld::taken(unassign(world.store, "docker", "birch"));
  CHECK(is_enforced(world.store, "birch", kSeat).value());
  CatalogueWorld::taken(assign(world.store, "web", "birch"));
  const auto refused = world.compose("birch");
  CHECK(refused.error().code == Errc::seat_unheld);
  CHECK(refused.error().assignment == "web");
}

TEST_CASE("a module that mounts another engine's socket than the holder states is refused naming both",
          "[catalogue][seat]") {
  CatalogueWorld world{fleet_with_a_mount_of("/run/docker.sock")};
  CHECK(composed_on_alder(world) == "taken");  // before the seat, as it was
  world.hold("alder", "/run/podman/podman.sock");
  CHECK(composed_on_alder(world) ==
        "alder: watch.app mounts the engine socket /run/docker.sock, but the holder of "
        "node-container-runtime states "
        "/run/podman/podman.sock");
  world.hold("alder", "/run/docker.sock");
  CHECK(composed_on_alder(world) == "taken");
}

TEST_CASE("the socket is known by any spelling of its path, and by the folder that holds it",
          "[catalogue][seat]") {
  CatalogueWorld spelled{fleet_with_a_mount_of("/var/run//docker.sock")};
  spelled.hold("alder");
  CHECK(composed_on_alder(spelled) == "taken");
  CatalogueWorld folder{fleet_with_a_mount_of("/var/run")};
  folder.hold("alder");
  CHECK(composed_on_alder(folder).find("mounts the engine socket /var/run") != std::string::npos);
  CatalogueWorld harmless{fleet_with_a_mount_of("/srv/data")};
  harmless.hold("alder", "/run/podman/podman.sock");
  CHECK(composed_on_alder(harmless) == "taken");
}

TEST_CASE("a volume whose options make it the engine's socket is a mount of the engine's socket", "[catalogue][seat]") {
  auto fleet = test::small_fleet();
  fleet.manifests.push_back({"modules/watch.json", R"({"name": "watch", "settings": {}, "resources": [
    {"id": "app", "type": "container", "spec": {"name": "watch", "image": "x:1",
     "volumes": [{"type": "volume", "source": "eng", "target": "/run/engine.sock",
                  "driver_opts": {"type": "none", "o": "bind", "device": "/var/run/docker.sock"}}]}}]})"});
  fleet.machines[0].modules.push_back("watch");
  CatalogueWorld world{fleet};
  world.hold("alder", "/run/podman/podman.sock");
  CHECK(composed_on_alder(world) ==
        "alder: watch.app mounts the engine socket /var/run/docker.sock, but the holder of node-container-runtime states "
        "/run/podman/podman.sock");
  world.hold("alder", "/run/docker.sock");
  CHECK(composed_on_alder(world) == "taken");
}
