// The order the runtime's file lands in: reach is filled before anything is sent, and the move of a member
// from the old writer to the runtime module is one push or none.
#include <set>

#include "tests/catalogue/world.h"

using namespace berth;             // NOLINT: a test reads better
using namespace berth::catalogue;  // NOLINT
using test::CatalogueWorld;
using test::declared;

namespace {

Json engine_service(const std::string& id, const std::string& of) {
  return {{"id", id},
          {"type", "service"},
          {"unit", "docker.service"},
          {"on_change", {{"of", {of}}, {"do", "reload"}}}};
}
Json engine_file(const std::string& id, const Json& into) {
  return {{"id", id}, {"type", "json"}, {"path", "/etc/docker/daemon.json"}, {"into", into}};
}
Json plain_file(const std::string& path) {
  return {{"id", "config"}, {"type", "file"}, {"path", path}, {"content", "x"}};
}

/// Birch before the hand-over: two modules write the engine's file and declare its service.
std::vector<Record> birch_before() {
  return {
      declared("dnsmasq", "config", plain_file("/etc/dnsmasq.d/mesh.conf")),
      declared("dnsmasq", "daemon", engine_file("daemon", {{"dns", {"10.0.0.2"}}, {"live-restore", true}})),
      declared("dnsmasq", "runtime", engine_service("runtime", "daemon")),
      declared("private-network", "registry-trust",
               engine_file("registry-trust", {{"insecure-registries", {"registry.mesh:5000"}}})),
      declared("private-network", "registry-trust-reload",
               engine_service("registry-trust-reload", "registry-trust"))};
}

const Json kOldWriters = {"dnsmasq.daemon", "dnsmasq.runtime", "private-network.registry-trust",
                          "private-network.registry-trust-reload"};

/// The same push with one record of give_back left out.
Json keeping(Json push, const std::string& record) {
  auto& ids = push["give_back"];
  ids.erase(std::remove(ids.begin(), ids.end(), Json(record)), ids.end());
  return push;
}

std::string judged(CatalogueWorld& world, const Json& push, const std::vector<Record>& now) {
  const auto status = check_push(world.store, push, now);
  return status ? "taken" : status.error().detail;
}

}  // namespace

TEST_CASE("one push states the member, its address filled in, and gives back the old writers'",
          "[catalogue][landing]") {
  CatalogueWorld world;
  const auto push = world.push("birch", birch_before(), PushKind::hand_over);
  CHECK(push["kind"] == "hand_over");
  CHECK(push["give_back"] == kOldWriters);
  CHECK(test::resource_in(push, "docker.daemon")["into"] ==
        Json::parse(R"({"live-restore": true, "insecure-registries": ["registry.mesh:5000"]})"));
  CHECK(push.dump().find("${") == std::string::npos);
  CHECK(test::resource_in(push, "docker.holder")["unit"] == "berth-holder.service");
}

TEST_CASE("either half of the hand-over alone is refused", "[catalogue][landing]") {
  CatalogueWorld world;
  const auto now = birch_before();
  const auto whole = world.push("birch", now, PushKind::hand_over);

  // The old writers stop and nobody states the member.
  auto unassigned = test::small_fleet();
  unassigned.machines[1].modules = {"web", "dnsmasq", "private-network"};
  CatalogueWorld without_docker{unassigned};
  const auto half = without_docker.compose("birch", now, PushKind::hand_over);
  REQUIRE_FALSE(half.ok());
  CHECK(half.error().code == Errc::collision);
  CHECK(half.error().detail ==
        "birch: half a hand-over: no module assigned to it can hold the seat node-container-runtime");
  CHECK(half.error().candidates == std::vector<std::string>{"docker", "podman"});

  // The runtime module states it and one of the old writers keeps a record there.
  for (const std::string record : {"dnsmasq.daemon", "private-network.registry-trust"}) {
    auto others = now;
    std::erase_if(others, [&](const Record& r) { return r.id != record; });
    auto push = keeping(whole, record);
    push["declaration"]["modules"].push_back({{"name", others[0].module},
                                              {"assignment", others[0].module},
                                              {"claims", Json::array()},
                                              {"resources", {Json::parse(others[0].declared)}}});
    CHECK(judged(world, push, others) == "birch: half a hand-over: " + record +
                                             " is not given back, and docker.daemon is declared beside it");
  }

  // The runtime module is there and forgets the file.
  auto forgets = whole;
  auto& resources = forgets["declaration"]["modules"][0]["resources"];
  resources.erase(
      std::remove_if(resources.begin(), resources.end(), [](const Json& r) { return r["id"] == "daemon"; }),
      resources.end());
  CHECK(judged(world, forgets, now) ==
        "birch: half a hand-over: nothing declares docker.daemon, so nobody would write "
        "/etc/docker/daemon.json");
}

TEST_CASE("an ordinary push may not do one half of the hand-over either", "[catalogue][landing]") {
  CatalogueWorld world;
  const auto now = birch_before();
  auto push = world.push("birch", now);  // both halves at once: as good as a hand-over
  auto& resources = push["declaration"]["modules"][0]["resources"];
  resources.erase(
      std::remove_if(resources.begin(), resources.end(), [](const Json& r) { return r["id"] == "daemon"; }),
      resources.end());
  CHECK(judged(world, push, now) ==
        "birch: half a hand-over: dnsmasq.daemon is given back, and nothing declares docker.daemon");
}

TEST_CASE("the back-out declares what was before and gives back what the hand-over brought",
          "[catalogue][landing]") {
  CatalogueWorld world;
  const auto before = birch_before();
  const auto handed = world.push("birch", before, PushKind::hand_over);
  PushOrder order{.machine = "birch"};
  order.restores = handed["push_id"].get<std::string>();
  const auto back = compose_back_out(world.store, order, test::records_after(handed), before);
  REQUIRE(back.ok());
  CHECK((*back)["kind"] == "back_out");
  CHECK((*back)["restores"] == handed["push_id"]);
  CHECK(test::resource_in(*back, "dnsmasq.daemon") ==
        engine_file("daemon", {{"dns", {"10.0.0.2"}}, {"live-restore", true}}));
  CHECK(test::resource_in(*back, "private-network.registry-trust-reload")["unit"] == "docker.service");
  CHECK(test::resource_in(*back, "docker.daemon").is_null());
  std::set<std::string> gone;
  for (const auto& id : (*back)["give_back"]) gone.insert(id.get<std::string>());
  CHECK(gone.contains("docker.daemon"));
  CHECK(gone.contains("docker.holder"));
  CHECK(gone.contains("private-network.config"));
  CHECK_FALSE(gone.contains("dnsmasq.config"));
}
