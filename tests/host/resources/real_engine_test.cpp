// The engine of a practice machine, its own daemon.json and its command line. Changes that machine's engine: run by
// hand or by the fleet's tests inside the machine, never on the computer that builds.
#include "host/path/path.h"
#include "host/resources/engine_apply.h"
#include "host/resources/engine_flags.h"
#include "host/resources/units.h"
#include "tests/host/resources/room.h"
#include "tests/support/parts.h"

using namespace berth;
using namespace berth::host::resources;
using test::must;

namespace {

const std::string kPath = "/etc/docker/daemon.json";

Json daemon(const Json& into) { return {{"id", "daemon"}, {"type", "json"}, {"path", kPath}, {"into", into}}; }

std::string bytes_or_none() {
  const auto bytes = read_file(kPath);
  return bytes ? *bytes : "(none)";
}

/// The machine as it is, put back at the end whatever happened.
struct RealEngine {
  RealEngine() : units(make_units(no_faults())), path(host::path::make_cli_path(no_faults())), before(bytes_or_none()) {}
  ~RealEngine() {
    if (before == "(none)") std::filesystem::remove(kPath);
    else (void)write_file(kPath, before, 0644, no_faults());
    (void)units->reload("docker.service");
  }
  World world() {
    World world{.seam = no_faults(), .clock = system_clock(), .units = *units, .packages = packages};
    world.path = path.get();
    return world;
  }
  host::path::EngineView view() { return must(path->engine()); }
  std::vector<std::string> running() {
    std::vector<std::string> all;
    for (const auto& one : must(path->list())) {
      if (one.pid != 0) all.push_back(one.id + " " + std::to_string(one.pid) + " " + one.started_at);
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  std::unique_ptr<Units> units;
  std::unique_ptr<host::path::Path> path;
  test::FakePackages packages;
  std::string before;
};

bool engine_here() {
  std::string ignored;
  return test::part_present("BERTH_TEST_ENGINE_MACHINE", ignored);
}

}  // namespace

TEST_CASE("a real engine takes the edit by one reload, un-takes it when it is given back, and no container restarts", "[.engine]") {
  if (!engine_here()) return;
  RealEngine engine;
  auto world = engine.world();
  const auto view = engine.view();
  const auto containers = engine.running();
  const auto declared = daemon({{"live-restore", !view.live_restore}, {"insecure-registries", {"berth-test.example:5000", "10.1.2.3/16"}}});
  const auto edit = must(prepare_engine_edit(world, {}, {{"docker.daemon", declared, nullptr, nullptr}}));
  const auto outcome = must(make_engine_edit(world, edit));
  CHECK(outcome.reloaded);
  CHECK(engine.view().live_restore != view.live_restore);
  const auto again = must(prepare_engine_edit(world, {}, {{"docker.daemon", declared, edit.found.at("docker.daemon"), edit.applied.at("docker.daemon")}}));
  CHECK_FALSE(must(make_engine_edit(world, again)).changed);
  const GiveBack gone{"docker.daemon", declared, edit.found.at("docker.daemon"), edit.applied.at("docker.daemon")};
  must(make_engine_edit(world, must(prepare_engine_edit(world, {gone}, {}))));
  CHECK(bytes_or_none() == engine.before);
  CHECK(engine.view().insecure_registries == view.insecure_registries);
  if (engine.before.find("live-restore") != std::string::npos) CHECK(engine.view().live_restore == view.live_restore);
  CHECK(engine.running() == containers);
}

TEST_CASE("a real engine that refuses the file is put back to what it held, byte for byte", "[.engine]") {
  if (!engine_here()) return;
  RealEngine engine;
  auto world = engine.world();
  const auto view = engine.view();
  const std::string bad = "{\n  \"nonesuch-key\": 1\n}\n";  // by another hand, since the engine started
  must(write_file(kPath, bad, 0644, no_faults()));
  const auto edit = must(prepare_engine_edit(world, {}, {{"docker.daemon", daemon({{"live-restore", !view.live_restore}}), nullptr, nullptr}}));
  const auto outcome = make_engine_edit(world, edit);
  REQUIRE_FALSE(outcome);
  WARN(outcome.error().detail);
  CHECK(outcome.error().code == Errc::engine_refused);
  CHECK(bytes_or_none() == bad);
  CHECK(engine.view().live_restore == view.live_restore);
}

TEST_CASE("flags of the real unit are found with the file they come from", "[.engine]") {
  if (!engine_here()) return;
  RealEngine engine;
  const auto flags = must(read_engine_flags(must(engine.units->files("docker.service")), ""));
  REQUIRE(flags.of_key("hosts") != nullptr);
  CHECK(flags.of_key("hosts")->file.find("docker") != std::string::npos);
}
