#include "catalogue/seats.h"

#include "catalogue/facts.h"
#include "catalogue/issue.h"
#include "tests/catalogue/world.h"

using namespace berth;             // NOLINT: a test reads better
using namespace berth::catalogue;  // NOLINT
using test::CatalogueWorld;
using test::holder_says;
using test::kSeat;

namespace {

Json without(Json list, const std::string& name) {
  list.erase(std::remove(list.begin(), list.end(), Json(name)), list.end());
  return list;
}

}  // namespace

TEST_CASE("the default seat is the mesh's own: node-scoped, nine verbs, six events and no provision",
          "[catalogue][seat]") {
  const auto seats = shipped_seats();
  REQUIRE(seats.ok());
  REQUIRE(seats->size() == 1);
  const auto& seat = seats->front();
  CHECK(seat.name == "node-container-runtime");
  CHECK(seat.scope == "node");
  CHECK(seat.verbs == std::vector<std::string>{"list", "inspect", "logs", "stats", "start", "stop", "restart",
                                               "create", "remove"});
  CHECK(seat.events ==
        std::vector<std::string>{"created", "started", "stopped", "died", "removed", "health"});
  CHECK(parse_seat(R"({"name": "node-x", "scope": "node", "verbs": [], "events": [], "provision": {}})", "x")
            .error()
            .detail == "x: the seat.provision is not a known field");
}

TEST_CASE("registration refuses a claimant that does not serve every verb and event, naming it",
          "[catalogue][seat]") {
  CatalogueWorld world;
  CatalogueWorld::taken(seed_seat(world.store, kSeat));

  auto lacks_verb = holder_says("alder");
  lacks_verb["verbs"] = without(lacks_verb["verbs"], "remove");
  const auto refused = register_holder(world.store, "alder", kSeat, lacks_verb);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Errc::missing_verb);
  CHECK(refused.error().detail ==
        "alder: docker cannot hold the seat node-container-runtime: it lacks the verb remove");

  auto lacks_event = holder_says("alder");
  lacks_event["events"] = without(lacks_event["events"], "health");
  CHECK(register_holder(world.store, "alder", kSeat, lacks_event).error().field == "health");

  CHECK(holds(world.store)->empty());
  CHECK_FALSE(is_enforced(world.store, "alder", kSeat).value());
}

TEST_CASE("a manifest that claims the seat without one of its verbs is refused before it is stored",
          "[catalogue][seat]") {
  auto fleet = test::small_fleet();
  fleet.manifests.push_back(
      {"modules/podman.json",
       R"({"name": "podman", "capabilities": [], "settings": {}, "resources": [], "tools": [],
    "claims": [{"seat": "node-container-runtime", "verbs": ["list"],
                "events": ["created", "started", "stopped", "died", "removed", "health"]}]})"});
  const auto refused = check_fleet(fleet);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Errc::missing_verb);
  CHECK(refused.error().field == "inspect, logs, stats, start, stop, restart, create, remove");
}

TEST_CASE("a seat that is not seeded, or a module that is not assigned, registers nobody",
          "[catalogue][seat]") {
  auto fleet = test::small_fleet();
  fleet.machines.push_back(test::machine("cedar", 'c', {}));
  CatalogueWorld world{fleet};
  CHECK(register_holder(world.store, "alder", kSeat, holder_says("alder")).error().code == Errc::not_found);
  CatalogueWorld::taken(seed_seat(world.store, kSeat));
  const auto refused = register_holder(world.store, "cedar", kSeat, holder_says("cedar"));
  CHECK(refused.error().code == Errc::seat_unheld);
  CHECK(refused.error().candidates == std::vector<std::string>{"docker", "podman"});
  CHECK(register_holder(world.store, "elm", kSeat, holder_says("elm")).error().code == Errc::not_found);
}

TEST_CASE("a holder that says it is elsewhere or of another module is refused", "[catalogue][seat]") {
  CatalogueWorld world;
  CatalogueWorld::taken(seed_seat(world.store, kSeat));
  CHECK(register_holder(world.store, "alder", kSeat, holder_says("birch")).error().detail ==
        "alder: the holder says it is on birch");
  auto without_text = holder_says("alder");
  without_text["engine"]["socket"] = 5;
  CHECK(register_holder(world.store, "alder", kSeat, without_text).error().field ==
        "the holder's description.engine.socket");
  auto of_podman = holder_says("alder");
  of_podman["module"] = "podman";
  CHECK(register_holder(world.store, "alder", kSeat, of_podman).error().detail ==
        "alder: the holder says it is of podman, but docker is assigned");
}

TEST_CASE("registering records the hold, issues the subjects and starts enforcing, together",
          "[catalogue][seat]") {
  CatalogueWorld world;
  world.hold("birch");
  const auto all = holds(world.store).value();
  REQUIRE(all.size() == 1);
  CHECK(all[0].machine == "birch");
  CHECK(all[0].module == "docker");
  CHECK(all[0].socket == "/run/docker.sock");
  CHECK(is_enforced(world.store, "birch", kSeat).value());
  CHECK_FALSE(is_enforced(world.store, "alder", kSeat).value());

  const auto file = seat_file(world.store, "birch", kSeat).value();
  CHECK(file["held"] == true);
  CHECK(file["stream"] == "BERTH_MESH_EVENTS");
  CHECK(file["subjects"]["read"]["list"] == "mesh.birch.node-container-runtime.read.list.*");
  CHECK(file["subjects"]["act"]["stop"] == "mesh.birch.node-container-runtime.act.stop.*");
  CHECK(file["subjects"]["act"].size() == 6);  // start stop restart create remove prune
  CHECK(file["subjects"]["read"].size() == 14);
  CHECK(file["subjects"]["event"]["gap"] == "mesh.birch.node-container-runtime.event.gap");
  CHECK(file["grants"] == Json::parse(R"([{"caller": "console", "class": "read", "verbs": ["*"]},
    {"caller": "operator", "class": "act", "verbs": ["restart", "start", "stop"]},
    {"caller": "operator", "class": "read", "verbs": ["*"]}])"));
  CHECK(seat_file(world.store, "alder", kSeat).error().code == Errc::seat_unheld);
}

TEST_CASE("registering the same holder again only takes its socket anew", "[catalogue][seat]") {
  CatalogueWorld world;
  world.hold("birch");
  world.clock.advance(std::chrono::hours{1});
  world.hold("birch", "/run/other.sock");
  const auto hold = holder_of(world.store, "birch", kSeat).value();
  REQUIRE(hold.has_value());
  CHECK(hold->socket == "/run/other.sock");
  CHECK(hold->held_at == "2026-01-02T03:04:05.000000000Z");
}

TEST_CASE("only what a holder says it serves gets a subject, and what it serves no more loses it",
          "[catalogue][seat]") {
  CatalogueWorld world;
  world.hold("birch");
  CHECK(seat_file(world.store, "birch", kSeat).value()["subjects"]["read"].contains("images"));
  auto older = holder_says("birch");
  older["tools"] = Json::array({"docker_list", "docker_events", "docker_exec"});
  CatalogueWorld::taken(register_holder(world.store, "birch", kSeat, older));
  const auto file = seat_file(world.store, "birch", kSeat).value();
  CHECK_FALSE(file["subjects"]["read"].contains("images"));
  CHECK_FALSE(file["subjects"]["read"].contains("exec"));  // served, and promised by no manifest
  CHECK(file["subjects"]["read"].contains("events"));
  CHECK(file["subjects"]["act"].contains("remove"));  // of the seat
}

TEST_CASE("a registration that dies half way leaves nothing", "[catalogue][seat]") {
  CatalogueWorld world;
  CatalogueWorld::taken(seed_seat(world.store, kSeat));
  world.seam.fail_at("store.commit");
  CHECK_FALSE(register_holder(world.store, "birch", kSeat, holder_says("birch")).ok());
  CHECK(holds(world.store)->empty());
  CHECK_FALSE(is_enforced(world.store, "birch", kSeat).value());
}

TEST_CASE("withdrawing takes one machine's hold, subjects and enforcement, and the seat with the last",
          "[catalogue][seat]") {
  CatalogueWorld world;
  world.hold("alder");
  world.hold("birch");
  CatalogueWorld::taken(withdraw(world.store, "alder", kSeat));
  CHECK(holds(world.store)->size() == 1);
  CHECK_FALSE(is_enforced(world.store, "alder", kSeat).value());
  CHECK(render_permissions(world.store)->find("mesh.alder.node-container-runtime") == std::string::npos);
  CatalogueWorld::taken(register_holder(world.store, "alder", kSeat, holder_says("alder")));  // still seeded
  CatalogueWorld::taken(withdraw(world.store, "alder", kSeat));
  CatalogueWorld::taken(withdraw(world.store, "birch", kSeat));
  CHECK(register_holder(world.store, "alder", kSeat, holder_says("alder")).error().code == Errc::not_found);
}
