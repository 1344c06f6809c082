#include "catalogue/compose.h"

#include "tests/catalogue/world.h"

using namespace berth;             // NOLINT: a test reads better
using namespace berth::catalogue;  // NOLINT
using test::CatalogueWorld;

TEST_CASE("a push holds the envelope its order asks for and every assigned module, the seat's first",
          "[catalogue]") {
  CatalogueWorld world;
  PushOrder order;
  order.machine = "birch";
  order.push_id = "p-1";
  order.sequence = 12;
  order.token = 7;
  order.runner = "operator@desk";
  order.expect_file = std::string(64, 'f');
  order.confirm_s = 60;
  const auto push = compose(world.store, order, {}).value();
  CHECK(push["push_id"] == "p-1");
  CHECK(push["fleet"] == "mesh");
  CHECK(push["machine_id"] == std::string(32, 'b'));
  CHECK(push["sequence"] == 12);
  CHECK(push["token"] == 7);
  CHECK(push["kind"] == "apply");
  CHECK(push["expect"] == Json{{"file", std::string(64, 'f')}});
  CHECK(push["confirm_s"] == 60);
  CHECK(push["composed_at"] == "2026-01-02T03:04:05.000000000Z");
  CHECK_FALSE(push.contains("seat"));
  CHECK_FALSE(push.contains("restores"));
  std::vector<std::string> modules;
  for (const auto& module : push["declaration"]["modules"]) modules.push_back(module["name"]);
  CHECK(modules == std::vector<std::string>{"docker", "web", "dnsmasq", "private-network"});
  CHECK(push["declaration"]["modules"][0]["claims"] == Json{"node-container-runtime"});
  CHECK(push["declaration"]["modules"][1]["assignment"] == "web");
}

TEST_CASE("without an order of its own a push gets a fresh id and the next sequence", "[catalogue]") {
  CatalogueWorld world;
  const auto one = world.push("birch");
  CHECK(one["sequence"] == 1);
  CHECK(one["push_id"] != world.push("birch")["push_id"]);
}

TEST_CASE("the seat file goes with a push exactly when the seat is held there", "[catalogue]") {
  CatalogueWorld world;
  world.hold("birch");
  CHECK(world.push("birch")["seat"]["module"] == "docker");
  CHECK_FALSE(world.push("alder").contains("seat"));
}

TEST_CASE("records that nothing declares any more are given back, and carried ones never", "[catalogue]") {
  CatalogueWorld world;
  auto now = test::records_after(world.push("birch"));
  now.push_back(test::declared("web", "clock",
                               {{"id", "clock"}, {"type", "container"}, {"spec", {{"name", "clock"}}}}));
  now.push_back({"container-runtime", "", "package", "carried", R"({"name": "docker.io"})"});
  CHECK(world.push("birch", now)["give_back"] == Json{"web.clock"});
}

TEST_CASE("a push that forgets a record of the machine is refused naming it", "[catalogue]") {
  CatalogueWorld world;
  auto push = world.push("birch");
  const auto stray =
      test::declared("web", "clock", {{"id", "clock"}, {"type", "container"}, {"spec", {{"name", "clock"}}}});
  const auto refused = check_push(world.store, push, {stray});
  CHECK(refused.error().detail == "birch: the push must either declare or give back the record web.clock");
}

TEST_CASE("an unknown machine and a machine of no fleet are refused", "[catalogue]") {
  CatalogueWorld world;
  CHECK(world.compose("elm").error().code == Errc::not_found);
  test::TempFolder folder;
  auto empty = store::Store::open(folder / "x.db", store::Role::fleet, world.clock, world.seam).value();
  CHECK(compose(empty, PushOrder{.machine = "alder"}, {}).error().code == Errc::not_found);
}

TEST_CASE("the broker's permissions change only in the push that is meant to change them", "[catalogue]") {
  CatalogueWorld world;
  // No push wrote the file yet: it is not declared, and its container waits for nothing.
  auto push = world.push("alder");
  CHECK(test::resource_in(push, "broker.permissions").is_null());
  CHECK_FALSE(test::resource_in(push, "broker.broker").contains("on_change"));

  PushOrder order{.machine = "alder"};
  order.new_permissions = true;
  push = compose(world.store, order, {}).value();
  const auto written = test::resource_in(push, "broker.permissions");
  CHECK(written["content"] == render_permissions(world.store).value());
  CHECK(test::resource_in(push, "broker.broker")["on_change"] ==
        Json{{"of", {"permissions"}}, {"do", "signal"}, {"signal", "HUP"}});

  const auto now = test::records_after(push);
  CHECK(permissions_were_pushed(world.store, "alder", now).value());
  CHECK_FALSE(permissions_were_pushed(world.store, "alder", {}).value());
  CHECK_FALSE(permissions_were_pushed(world.store, "birch", now).value());
  world.hold("birch");  // changes what would be rendered
  CHECK(test::resource_in(world.push("alder", now), "broker.permissions") == written);
  CHECK(test::resource_in(compose(world.store, order, now).value(), "broker.permissions") != written);
}

TEST_CASE("what the runtime module would write is known key by key, with the setting that decides it",
          "[catalogue]") {
  auto fleet = test::small_fleet();
  fleet.machines[1].settings["docker"] = R"({"resolver": "10.0.0.2"})";
  CatalogueWorld world{fleet};
  const auto planned = planned_engine(world.store, "birch").value();
  CHECK(planned.module == "docker");
  CHECK(planned.file == "/etc/docker/daemon.json");
  CHECK(planned.unit == "docker.service");
  REQUIRE(planned.keys.size() == 3);
  CHECK(planned.keys[0].key == "dns");
  CHECK(planned.keys[0].setting == "resolver");
  CHECK(planned.keys[0].cost == "restart");
  CHECK(planned.keys[1].key == "insecure-registries");
  CHECK(planned.keys[1].value == R"(["registry.mesh:5000"])");
  CHECK(planned.keys[1].cost == "reload");
  CHECK(planned.keys[2].value == "true");
  CHECK(planned.keys[2].setting == "live-restore");
}

TEST_CASE("records are read from what a host answers, and a malformed one is refused by place",
          "[catalogue]") {
  const auto records = parse_records(
      Json::parse(R"([{"id": "web.page", "module": "web", "type": "container", "origin": "declared",
    "state": "applied", "declared": {"id": "page"}, "found": null, "applied": {}, "push_id": "p", "updated_at": "x"},
    {"id": "bare", "module": null, "type": "package", "origin": "carried", "declared": {}}])"));
  REQUIRE(records.ok());
  CHECK(records->at(0).is_declared());
  CHECK(records->at(0).declared == R"({"id":"page"})");
  CHECK(records->at(1).module.empty());
  CHECK(parse_records(Json::parse(R"([{"id": "x", "type": "file", "origin": "made-up"}])")).error().field ==
        "records[0].origin");
}
