#include "tests/host/resources/room.h"
#include "tests/support/fake_engine.h"

using namespace berth;
using namespace berth::host::resources;
using test::must;
using test::type;

namespace {

struct ContainerRoom : test::Room {
  World world() {
    auto world = Room::world();
    world.path = &engine;
    return world;
  }
  Result<Acted> apply() {
    auto w = world();
    auto acted = TRY(type("container").apply(w, declared, found, record));
    record = acted.applied;
    return acted;
  }
  Result<Acted> give_back() {
    auto w = world();
    return type("container").give_back(w, declared, found, record);
  }
  host::path::Seen& there(const std::string& id, const std::string& assignment, const std::string& image = "berth-practice:1") {
    engine.containers.push_back({.id = id, .name = "web", .image = image, .state = "running", .assignment = assignment,
                                 .pid = 99, .started_at = ""});
    return engine.containers.back();
  }
  test::FakeEngine engine{root.at("/none"), clock, seam};
  Json declared = {{"id", "app"}, {"type", "container"},
                   {"spec", {{"name", "web"}, {"image", "berth-practice:1"}, {"assignment", "web"}}}};
  Json found = Json::object(), record;
};

}  // namespace

TEST_CASE("a missing container is made, a stopped one started, a running one left") {
  ContainerRoom room;
  CHECK(must(room.apply()).action == "created");
  CHECK(room.record["id"] == "id1");
  CHECK(must(room.apply()).action == "unchanged");
  room.engine.containers[0].state = "exited";
  CHECK(must(room.apply()).action == "updated");
  CHECK(room.engine.acts == std::vector<std::string>{"create web", "start id1"});
  room.engine.containers.clear();
  CHECK(must(room.apply()).action == "created");
}

TEST_CASE("a changed declaration makes the container anew") {
  ContainerRoom room;
  must(room.apply());
  room.declared["spec"]["environment"] = {{"A", "1"}};
  CHECK(must(room.apply()).changed);
  CHECK(room.engine.acts == std::vector<std::string>{"create web", "create web for id1"});
  CHECK(room.record["id"] == "id2");
  CHECK(must(room.apply()).action == "unchanged");
}

TEST_CASE("the name of a stray or of another assignment is a conflict, and neither is touched") {
  for (const char* other : {"", "shop"}) {
    ContainerRoom room;
    room.there("theirs", other);
    const auto outcome = room.apply();
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::conflict);
    CHECK(outcome.error().assignment == other);
    CHECK(room.engine.acts.empty());
    must(room.give_back());
    CHECK(room.engine.acts.empty());
  }
}

TEST_CASE("one of ours that no record describes is adopted without a restart, and stays when its record goes") {
  ContainerRoom room;
  room.there("old", "web", "docker.io/library/berth-practice:1");
  auto world = room.world();
  room.found = must(type("container").read(world, room.declared));
  CHECK(room.found == Json{{"id", "old"}});
  const auto acted = must(room.apply());
  CHECK(acted.action == "adopted");
  CHECK_FALSE(acted.changed);
  CHECK(must(room.give_back()).detail.find("stays") != std::string::npos);
  CHECK(room.engine.acts.empty());
}

TEST_CASE("one of ours that no record describes and that differs is replaced, and in a whole push fails it") {
  ContainerRoom room;
  room.there("old", "web");
  room.engine.differing["old"] = {"environment", "restart"};
  auto world = room.world();
  world.keeps_containers = true;
  const auto kept = type("container").apply(world, room.declared, room.found, nullptr);
  REQUIRE_FALSE(kept);
  CHECK(kept.error().code == Errc::conflict);
  CHECK(kept.error().detail.find("environment, restart") != std::string::npos);
  CHECK(room.engine.acts.empty());
  const auto acted = must(room.apply());
  CHECK(acted.action == "updated");
  CHECK(room.engine.acts == std::vector<std::string>{"create web for old"});
  // A changed declaration would replace it too.
  room.declared["spec"]["environment"] = {{"A", "1"}};
  CHECK(type("container").apply(world, room.declared, room.found, room.record).error().code == Errc::conflict);
}

TEST_CASE("giving back removes the recorded container and no other") {
  ContainerRoom room;
  must(room.apply());
  room.engine.containers.push_back({.id = "x", .name = "other", .image = "i", .state = "running", .assignment = "web", .pid = 1, .started_at = ""});
  must(room.give_back());
  CHECK(room.engine.containers.size() == 1);
  CHECK(room.engine.containers[0].id == "x");
  CHECK_FALSE(must(room.give_back()).changed);
}

TEST_CASE("a runtime that does not answer creates nothing and says so") {
  ContainerRoom room;
  room.engine.down = true;
  CHECK(room.apply().error().code == Errc::holder_silent);
  auto world = room.world();
  world.path = nullptr;
  CHECK(type("container").apply(world, room.declared, nullptr, nullptr).error().code == Errc::engine_unreachable);
}

TEST_CASE("EL20 a crash at any act of a container's apply or replacement ends with one container as declared") {
  int cut = 1;
  for (bool died = true; died; ++cut) {
    ContainerRoom room;
    must(room.apply());
    const auto had = room.seam.acts.size();
    room.declared["spec"]["environment"] = {{"A", "1"}};
    room.seam.die_at = static_cast<int>(had) + cut;
    died = false;
    try {
      must(room.apply());
    } catch (const test::CutSeam::Died&) {
      died = true;
    }
    room.seam.calm();
    must(room.apply());
    CAPTURE(cut, room.engine.acts);
    REQUIRE(room.engine.containers.size() == 1);
    CHECK(room.engine.containers[0].id == "id2");
    CHECK(room.engine.containers[0].state == "running");
  }
  CHECK(cut > 1);
}

TEST_CASE("a container's declaration is parsed as the host's own: a wrong spec is refused by its member") {
  const auto refusal = [](const Json& spec) {
    const auto done = type("container").check({{"id", "app"}, {"type", "container"}, {"spec", spec}});
    return done ? std::string{"taken"} : done.error().detail;
  };
  CHECK(refusal({{"name", "web"}, {"image", "i:1"}}) == "taken");
  CHECK(refusal({{"name", "web"}, {"image", "i:1"}, {"nonesuch", 1}}).find("nonesuch") != std::string::npos);
  CHECK(refusal({{"image", "i:1"}}) != "taken");
}
