#include "tests/host/apply/world.h"

using namespace berth;
using namespace berth::test;

namespace {

Error refusal(Birch& birch, const Json& body) {
  const auto before = birch.records();
  const auto file = birch.room.root.tree();
  auto taken = birch.host().applier.take(body);
  REQUIRE_FALSE(taken.ok());
  CHECK(birch.records() == before);
  CHECK(birch.room.root.tree() == file);
  CHECK(birch.state_of(body.value("push_id", "")) == "unknown");
  return taken.error();
}

}  // namespace

TEST_CASE("a push for another fleet, machine or machine-id is refused naming which") {
  Birch birch;
  CHECK(refusal(birch, birch.push("apply", Json::array(), {{"fleet", "other"}})).field == "fleet");
  CHECK(refusal(birch, birch.push("apply", Json::array(), {{"machine", "cedar"}})).field == "machine");
  const auto moved =
      refusal(birch, birch.push("apply", Json::array(), {{"machine_id", std::string(32, 'f')}}));
  CHECK(moved.field == "machine_id");
  CHECK(moved.detail.find(kMachineId) != std::string::npos);
}

TEST_CASE("an older token and an older sequence are stale; the token of a refused push counts for nothing") {
  Birch birch;
  birch.carry_out(birch.push("apply", Json::array(), {{"token", 5}}));
  CHECK(refusal(birch, birch.push("apply", Json::array(), {{"token", 4}})).code == Errc::stale);
  CHECK(refusal(birch, birch.push("apply", Json::array(), {{"token", 5}, {"sequence", 1}})).code ==
        Errc::stale);
  CHECK(refusal(birch, birch.push("apply", Json::array(), {{"token", 9}, {"fleet", "other"}})).field ==
        "fleet");
  CHECK(birch.carry_out(birch.push("apply", Json::array(), {{"token", 5}}))["result"] == "unchanged");
}

TEST_CASE("the same push twice is answered the same and carried out once") {
  Birch birch;
  seed(birch);
  const auto body = hand_over(birch);
  const auto first = must(birch.host().applier.take(body));
  CHECK(must(birch.host().applier.take(body)) == first);
  must(birch.host().applier.work());
  const auto reloads = birch.engine.reloads;
  CHECK(must(birch.host().applier.take(body)) == first);
  must(birch.host().applier.work());
  CHECK(birch.engine.reloads == reloads);
}

TEST_CASE("a push that is still being given back lets no other in, and ends once it can") {
  Birch birch;
  seed(birch);
  const auto file = birch.file();
  birch.room.clock.advance(std::chrono::seconds{1});
  auto body = hand_over(birch);
  body["declaration"]["modules"][0]["resources"].push_back(
      {{"id", "tool"}, {"type", "package"}, {"name", "missing"}});
  must(birch.host().applier.take(body));
  // From its second question on, the engine is gone: the edit is made and cannot be undone.
  birch.room.units.on_reload = [&] {
    birch.engine.reload();
    birch.room.clock.advance(std::chrono::seconds{1});
    birch.engine.on_reload = [&](FakeEngine& engine, const Json&) { engine.refuses = true; };
  };
  birch.room.clock.advance(std::chrono::seconds{1});
  static_cast<void>(birch.host().applier.work());
  REQUIRE(birch.state_of("p2") == "accepted");
  CHECK(birch.host().applier.take(birch.push("apply", Json::array())).error().code == Errc::busy);
  CHECK(must(birch.host().applier.take(body))["accepted"] == true);
  birch.room.units.on_reload = [&] { birch.engine.reload(); };
  birch.engine.on_reload = nullptr;
  birch.engine.refuses = false;
  birch.room.clock.advance(std::chrono::seconds{1});
  must(birch.host().applier.again());
  CHECK(birch.state_of("p2") == "failed");
  CHECK(birch.file() == file);
}

TEST_CASE("unknown members, unknown types, wrong values and placeholders left are refused by their path") {
  Birch birch;
  auto body = birch.push("apply", {docker()});
  body["extra"] = 1;
  CHECK(refusal(birch, body).detail.find("extra") != std::string::npos);
  body = birch.push("apply", {with_resource(docker(), {{"id", "x"}, {"type", "cloud"}})});
  CHECK(refusal(birch, body).field == "declaration.modules[0].resources[3].type");
  body = birch.push("apply", {with_resource(docker(), {{"id", "x"}, {"type", "package"}})});
  CHECK(refusal(birch, body).field.find("declaration.modules[0].resources[3]") == 0);
  body = birch.push(
      "apply",
      {with_resource(
          docker(),
          {{"id", "x"}, {"type", "file"}, {"path", "/etc/x"}, {"content", "at ${seat:store:reach}"}})});
  const auto unfilled = refusal(birch, body);
  CHECK(unfilled.code == Errc::unfilled);
  CHECK(unfilled.field == "declaration.modules[0].resources[3].content");
  body = birch.push("apply", {docker(), docker()});
  CHECK(refusal(birch, body).detail.find("docker is declared twice") != std::string::npos);
}

TEST_CASE("a push that names a declared record neither way is refused naming the record") {
  Birch birch;
  seed(birch);
  const auto forgotten = refusal(birch, birch.push("apply", {dnsmasq()}));
  CHECK(forgotten.field == "give_back");
  CHECK(forgotten.detail.find("private-network.registry-trust") != std::string::npos);
  CHECK(refusal(birch, birch.push("apply", {dnsmasq(), private_network()}, {{"give_back", {"web.app"}}}))
            .detail.find("web.app") != std::string::npos);
  CHECK(
      refusal(birch, birch.push("apply", {dnsmasq(), private_network()}, {{"give_back", {"dnsmasq.daemon"}}}))
          .detail.find("both") != std::string::npos);
}

TEST_CASE("a hand_over that does one half is refused: either half") {
  Birch birch;
  seed(birch);
  const auto kept = refusal(birch, birch.push("hand_over", {docker(), private_network()},
                                              {{"give_back", {"dnsmasq.daemon", "dnsmasq.runtime"}}}));
  CHECK(kept.detail.find("private-network.registry-trust") != std::string::npos);
  const auto nobody =
      refusal(birch, birch.push("hand_over", Json::array(), {{"give_back", give_back_of_seed()}}));
  CHECK(nobody.detail.find("node-container-runtime") != std::string::npos);
  auto half = docker();
  half["resources"].erase(2);
  const auto no_unit = refusal(birch, birch.push("hand_over", {half}, {{"give_back", give_back_of_seed()}}));
  CHECK(no_unit.detail.find("docker.service") != std::string::npos);
}

TEST_CASE("no push may have the engine restarted, nor give back what the bundle carried") {
  Birch birch;
  must(birch.host().applier.bootstrap(
      {{"fleet", "mesh"},
       {"machine", "birch"},
       {"resources", {{{"id", "container-runtime"}, {"type", "package"}, {"name", "docker.io"}}}}}));
  auto restarting = docker();
  restarting["resources"][2]["on_change"]["do"] = "restart";
  CHECK(refusal(birch, birch.push("apply", {restarting})).detail.find("never restarted") !=
        std::string::npos);
  CHECK(refusal(birch, birch.push("apply", Json::array(), {{"give_back", {"container-runtime"}}}))
            .detail.find("carried") != std::string::npos);
}

TEST_CASE("a store that cannot take the push's row refuses the push, and the machine is untouched") {
  Birch birch;
  birch.host();
  birch.room.seam.acts.clear();
  birch.room.seam.fail_at = 1;  // the commit: a full disk says no there
  const auto body = birch.push("apply", {docker()});
  const auto tree = birch.room.root.tree();
  REQUIRE_FALSE(birch.host().applier.take(body).ok());
  birch.room.seam.calm();
  CHECK(birch.state_of("p1") == "unknown");
  CHECK(birch.room.root.tree() == tree);
  CHECK(birch.carry_out(body)["result"] != "failed");
}
