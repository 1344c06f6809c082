#include "base/json.h"
#include "tests/holder/engine/engine_world.h"
#include "tests/holder/events/events_world.h"

namespace berth::test {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<holder::events::Events> start_on(EventsWorld& events, EngineWorld& engine) {
  holder::events::EventsConfig config;
  config.machine = "alder";
  config.store = events.file;
  config.open_engine = [&] { return holder::engine::Engine::open(engine.socket(), {}, no_faults()); };
  return must(holder::events::Events::start(std::move(config), nullptr, system_clock(), events.seam));
}

/// Of one container, in the order told. Whether inferred or not is left out: on an engine that others use
/// too, the first comparison may come at any time, and be ahead of an event.
std::string told_of(EventsWorld& world, const std::string& id) {
  return world.column("SELECT kind FROM runtime_event WHERE container = '" + id + "' ORDER BY seq");
}

}  // namespace

TEST_CASE("a container made by hand on a real engine is told of, to its removal", "[docker][podman]") {
  if (engine_sockets().empty()) return;
  const auto socket = GENERATE(from_range(engine_sockets()));
  CAPTURE(socket);
  EngineWorld engine{socket};
  EventsWorld world;
  const auto events = start_on(world, engine);
  ::usleep(800'000);
  auto spec = engine.shell("told", "trap 'exit 4' TERM; while :; do sleep 0.1; done");
  spec.labels["exitCode"] = "99";  // a lie that Docker's events repeat
  spec.environment["PASSWORD"] = "hunter2";
  const auto id = engine.run(spec);
  const auto told = [&] { return told_of(world, id); };
  CHECK(world.until("created started", told) == "created started");
  const auto exec = engine.raw("POST", "/containers/" + id + "/exec", {{"Cmd", {"echo", "hunter2"}}});
  engine.raw("POST", "/exec/" + Json::parse(exec.body).at("Id").get<std::string>() + "/start",
             {{"Detach", true}});
  ::usleep(300'000);
  must(engine.engine().stop(id, 10s));
  if (engine.podman()) {
    // This Podman says nothing of having been asked to stop; what it does say is the end.
    CHECK(world.until("created started died", told).starts_with("created started died"));
  } else {
    CHECK(world.until("created started died stopped", told) == "created started died stopped");
  }
  CHECK(world.column("SELECT json_extract(body, '$.exit_code') FROM runtime_event WHERE kind = 'died' AND "
                     "container = '" +
                     id + "'") == "4");
  must(engine.engine().remove(id, true, true));
  CHECK(world.until("removed", [&] {
    return world.column("SELECT kind FROM runtime_event WHERE container = '" + id +
                        "' ORDER BY seq DESC LIMIT 1");
  }) == "removed");
  CHECK(world.column("SELECT group_concat(body) FROM runtime_event").find("hunter2") == std::string::npos);
}

TEST_CASE("what a real engine did while the holder was away is told when it is back", "[docker][podman]") {
  if (engine_sockets().empty()) return;
  const auto socket = GENERATE(from_range(engine_sockets()));
  CAPTURE(socket);
  EngineWorld engine{socket};
  EventsWorld world;
  std::string id;
  {
    const auto events = start_on(world, engine);
    ::usleep(800'000);
    id = engine.run(engine.shell("away", "sleep 300"));
    REQUIRE(world.until("created started", [&] { return told_of(world, id); }) == "created started");
  }
  must(engine.engine().remove(id, true, true));
  const auto events = start_on(world, engine);
  const auto last = [&] {
    return world.column("SELECT kind FROM runtime_event WHERE container = '" + id +
                        "' ORDER BY seq DESC LIMIT 1");
  };
  CHECK(world.until("removed", last) == "removed");
  CHECK(world.column("SELECT count(*) FROM runtime_event WHERE kind = 'died' AND container = '" + id + "'") ==
        "1");
  CHECK(world.column("SELECT gone_at IS NOT NULL FROM container WHERE id = '" + id + "'") == "1");
}

TEST_CASE("EV15 a container that ends and starts again and again is held back, and delays nobody",
          "[docker][podman]") {
  if (engine_sockets().empty()) return;
  const auto socket = GENERATE(from_range(engine_sockets()));
  CAPTURE(socket);
  EngineWorld engine{socket};
  EventsWorld world;
  const auto events = start_on(world, engine);
  ::usleep(800'000);
  auto spec = engine.shell("restarts", "exit 1");
  spec.restart = "always";
  const auto loop = engine.run(spec);
  ::usleep(3'000'000);
  const auto quiet = engine.create(engine.shell("quiet", "true"));
  CHECK(world.until("created", [&] { return told_of(world, quiet); }) == "created");
  must(engine.engine().remove(loop, true, true));
  const auto last = [&] {
    return world.column("SELECT kind FROM runtime_event WHERE container = '" + loop +
                        "' ORDER BY seq DESC LIMIT 1");
  };
  CHECK(world.until("removed", last) == "removed");
  // The burst, then one a second, and what a removal tells.
  CHECK(std::stoi(world.column("SELECT count(*) FROM runtime_event WHERE container = '" + loop + "'")) < 75);
}

TEST_CASE("EV14 a container with a label of a megabyte and a half is told of, and small",
          "[docker][podman]") {
  if (engine_sockets().empty()) return;
  const auto socket = GENERATE(from_range(engine_sockets()));
  CAPTURE(socket);
  EngineWorld engine{socket};
  EventsWorld world;
  const auto events = start_on(world, engine);
  ::usleep(800'000);
  auto spec = engine.shell("label", "true");
  spec.labels["big"] = std::string(1'500'000, 'x');
  const auto id = engine.create(spec);
  CHECK(world.until("created", [&] { return told_of(world, id); }) == "created");
  must(engine.engine().remove(id, true, true));
  CHECK(world.until("created removed", [&] { return told_of(world, id); }) == "created removed");
  CHECK(std::stoi(world.column("SELECT max(length(body)) FROM runtime_event")) < 4096);
}

}  // namespace berth::test
