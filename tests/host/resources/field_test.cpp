// What happened to others' machines, as cases of ours; most are named in the files of what they are about.
#include "host/resources/engine_apply.h"
#include "tests/host/resources/room.h"
#include "tests/support/fake_engine.h"

using namespace berth;
using namespace berth::host::resources;
using test::must;
using test::type;

namespace {

constexpr auto kFieldFile = "/etc/docker/daemon.json";

struct FieldRoom : test::Room {
  FieldRoom() {
    units.add("docker.service", "active", "enabled");
    units.unit_files["docker.service"] = {{"/lib/systemd/system/docker.service", "[Service]\nExecStart=/usr/sbin/dockerd -H fd://\n"}};
    units.on_reload = [this] { engine.reload(); };
  }
  World world() {
    auto world = Room::world();
    world.path = &engine;
    return world;
  }
  test::FakeEngine engine{root.at(kFieldFile), clock, seam};
};

}  // namespace

TEST_CASE("DJ07 an installed package is never brought to another release, whatever the archive offers") {
  FieldRoom room;
  auto world = room.world();
  room.packages.versions["docker.io"] = "20.10.24";
  room.packages.offered["docker.io"] = "26.1.5";
  const Json declared = {{"name", "docker.io"}};
  const auto found = must(type("package").read(world, declared));
  const auto acted = must(type("package").apply(world, declared, found, nullptr));
  CHECK_FALSE(acted.changed);
  CHECK(acted.detail == "already installed, 20.10.24");
  CHECK(room.packages.acts.empty());
}

TEST_CASE("DJ07 a key that the engine does not know stops the reload, is named, and neither removed nor repaired") {
  const std::string theirs = "{\n  \"Live-Restore\": true,\n  \"gone-in-this-release\": 1\n}\n";
  FieldRoom room;
  auto world = room.world();
  room.root.put(kFieldFile, theirs);
  room.engine.refuses = true;
  room.units.journal =
      "time=\"2026\" level=error msg=\"unable to configure the Docker daemon with file: the following directives don't match any configuration option: gone-in-this-release\"\n";
  const Json declared = {{"id", "daemon"}, {"type", "json"}, {"path", kFieldFile}, {"into", {{"live-restore", true}}}};
  const auto edit = must(prepare_engine_edit(world, {}, {{"docker.daemon", declared, nullptr, nullptr}}));
  const auto outcome = make_engine_edit(world, edit);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == Errc::engine_refused);
  CHECK(outcome.error().detail.find("gone-in-this-release") != std::string::npos);
  CHECK(room.root.read(kFieldFile) == theirs);
}

TEST_CASE("DJ20 the key bridge, which deletes the engine's bridge, is not offered") {
  FieldRoom room;
  auto world = room.world();
  room.root.put(kFieldFile, "{}\n");
  const Json declared = {{"id", "daemon"}, {"type", "json"}, {"path", kFieldFile}, {"into", {{"bridge", "none"}}}};
  const auto edit = prepare_engine_edit(world, {}, {{"docker.daemon", declared, nullptr, nullptr}});
  REQUIRE_FALSE(edit);
  CHECK(edit.error().detail.find("bridge") != std::string::npos);
  CHECK(room.root.read(kFieldFile) == "{}\n");
  CHECK(room.engine.reloads == 0);
}
