#include <map>

#include "base/json.h"
#include "tests/holder/events/events_world.h"
#include "tests/support/nats_server.h"

namespace berth::test {
namespace {

using namespace std::chrono_literals;

bus::BusConfig config_of(const NatsServer& server) {
  bus::BusConfig config;
  config.url = server.url();
  config.name = "test";
  return config;
}

bus::StreamConfig stream() {
  return {.name = "BERTH_MESH_EVENTS", .subjects = {"mesh.*.node-container-runtime.event.*"}};
}

/// "created started", as the stream keeps them.
std::string kept(bus::Bus& bus) {
  const auto messages = bus.read_stream("BERTH_MESH_EVENTS", "mesh.>", 1, 1000, 300ms);
  std::string text;
  if (!messages) return messages.error().detail;
  for (const auto& m : *messages) {
    const auto body = Json::parse(m.message.data);
    text += (text.empty() ? "" : " ") + body.at("kind").get<std::string>();
    const auto id = m.message.headers.find("Nats-Msg-Id");
    if (id == m.message.headers.end() || body.at("id") != id->second) text += "(id!)";
  }
  return text;
}

}  // namespace

TEST_CASE("with the broker away the outbox holds, and drains when it is back", "[nats]") {
  NatsServer server;
  server.start();
  EventsWorld world;
  auto bus = bus::Bus::start(config_of(server), world.seam);
  server.stop();
  const auto events = world.start(bus.get());
  events->set_subjects(all_subjects());
  world.machine.says(raw(10, "create", "a"));
  world.machine.says(raw(20, "start", "a"));
  const auto waiting = [&] { return world.column("SELECT count(*) FROM outbox"); };
  CHECK(world.until("2", waiting) == "2");
  ::usleep(300'000);
  CHECK(waiting() == "2");

  server.start();
  auto reader = bus::Bus::connect(config_of(server), world.seam, 10s);
  REQUIRE(reader.ok());
  REQUIRE((*reader)->ensure_stream(stream()).ok());
  events->bus_is_back();
  CHECK(world.until("0", waiting) == "0");
  CHECK(kept(**reader) == "created started");
}

TEST_CASE("an acknowledgement that was lost makes no second message", "[nats]") {
  NatsServer server;
  server.start();
  EventsWorld world;
  auto bus = bus::Bus::connect(config_of(server), world.seam, 10s);
  REQUIRE(bus.ok());
  REQUIRE((*bus)->ensure_stream(stream()).ok());
  {
    const auto events = world.start(bus->get());
    world.machine.says(raw(10, "create", "a"));
    events->set_subjects(all_subjects());
    CHECK(world.until("1", [&] { return world.column("SELECT count(*) FROM runtime_event"); }) == "1");
    CHECK(world.until("0", [&] { return world.column("SELECT count(*) FROM outbox"); }) == "0");
  }
  // As a holder leaves it that was killed between the stream's answer and its own commit.
  {
    auto store = world.store();
    const auto id = world.column("SELECT id FROM runtime_event");
    const auto body = world.column("SELECT body FROM runtime_event");
    REQUIRE(store::queue_message(store, "event", all_subjects().at("created"), id, body).ok());
  }
  const auto events = world.start(bus->get());
  CHECK(world.until("0", [&] { return world.column("SELECT count(*) FROM outbox"); }) == "0");
  CHECK(kept(**bus) == "created");
}

}  // namespace berth::test
