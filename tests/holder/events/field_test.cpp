#include "base/json.h"
#include "tests/holder/events/events_world.h"
#include "tests/support/nats_server.h"

// What happened to others with engine events, on the fake engine; with real ones: real_engine_test.cpp.
namespace berth::test {
namespace {

using namespace std::chrono_literals;

/// A disk that stands still for as long as it is told to.
class StandingDisk final : public Seam {
 public:
  Status before(std::string_view act, std::string_view) override {
    std::unique_lock lock{mutex_};
    if (act == "store.commit") moves_.wait(lock, [&] { return !stands_; });
    return {};
  }
  void stand(bool stands) {
    {
      const std::scoped_lock lock{mutex_};
      stands_ = stands;
    }
    moves_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable moves_;
  bool stands_ = false;
};

bus::BusConfig at(const NatsServer& server) {
  bus::BusConfig config;
  config.url = server.url();
  config.name = "test";
  return config;
}

std::unique_ptr<bus::Bus> stream_on(const NatsServer& server, Seam& seam) {
  auto bus = bus::Bus::connect(at(server), seam, 10s);
  REQUIRE(bus.ok());
  REQUIRE((*bus)
              ->ensure_stream(
                  {.name = "BERTH_MESH_EVENTS", .subjects = {"mesh.*.node-container-runtime.event.*"}})
              .ok());
  return std::move(bus).value();
}

/// The numbers of the events as the stream has them: "1..40", or what they are when one is missing or twice.
std::string numbers_in(bus::Bus& bus) {
  std::vector<int> numbers;
  for (std::uint64_t next = 1;;) {
    const auto page = bus.read_stream("BERTH_MESH_EVENTS", "mesh.>", next, 1000, 1s);
    REQUIRE(page.ok());
    if (page->empty()) break;
    next = page->back().sequence + 1;
    for (const auto& one : *page) {
      const auto id = Json::parse(one.message.data).at("id").get<std::string>();
      numbers.push_back(std::stoi(id.substr(id.rfind(':') + 1)));
    }
  }
  std::string all;
  bool in_order = true;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    in_order = in_order && numbers[i] == static_cast<int>(i) + 1;
    all += std::to_string(numbers[i]) + " ";
  }
  return in_order && !numbers.empty() ? "1.." + std::to_string(numbers.size()) : all;
}

std::string none_waits(EventsWorld& world) {
  return world.until("0", [&] { return world.column("SELECT count(*) FROM outbox"); });
}

}  // namespace

TEST_CASE("EV03 what happens between the stream's beginning and the first list is told once") {
  const auto made = GENERATE(false, true);
  CAPTURE(made);
  EventsWorld world;
  world.machine.has(summary("a", "running", 1));
  world.machine.at_next_list(made, [&] {
    world.machine.says(raw(30, "die", "a", {{"exitCode", "4"}}));
    world.machine.says(raw(31, "create", "b"));
    world.machine.says(raw(32, "destroy", "b"));
  });
  const auto events = world.start();
  const auto of = [&](const std::string& id) {
    return world.column("SELECT kind FROM runtime_event WHERE container = '" + id + "' ORDER BY seq");
  };
  CHECK(world.until("created started died", [&] { return of("a"); }) == "created started died");
  CHECK(world.until("created removed", [&] { return of("b"); }) == "created removed");
  ::usleep(1'500'000);  // and the comparison after it
  CHECK(of("a") == "created started died");
  CHECK(of("b") == "created removed");
  CHECK(world.states() == "a=exited");
}

TEST_CASE("EV04 the stream is read on while nothing can be written, and what did not fit is found") {
  EventsWorld world;
  world.queue = 100;
  StandingDisk disk;
  const auto events = world.start(nullptr, disk);
  world.machine.says(raw(1, "create", "first"));
  REQUIRE(world.told_becomes("created:first") == "created:first");
  disk.stand(true);
  constexpr int kMany = 1300;
  for (int i = 0; i < kMany; ++i) world.machine.says(raw(10 + i, "create", "c" + std::to_string(i)));
  CHECK(world.machine.everything_is_told());
  world.clock.set(at_ms(60'000));
  disk.stand(false);
  const auto there = [&] { return world.column("SELECT count(*) FROM container WHERE state = 'created'"); };
  CHECK(world.until(std::to_string(kMany + 1), there) == std::to_string(kMany + 1));
  CHECK(world.column("SELECT count(*) FROM runtime_event WHERE kind = 'created'") ==
        std::to_string(kMany + 1));
  CHECK(world.column("SELECT sum(json_extract(body, '$.suppressed')) > 500 FROM runtime_event WHERE "
                     "json_extract(body, '$.cause') = 'full_queue'") == "1");
}

TEST_CASE(
    "EV13 a stream that is cut again and again is asked for with patience, and its last event told once") {
  EventsWorld world;
  const auto events = world.start();
  world.machine.says(raw(10, "create", "a"));
  REQUIRE(world.told_becomes("created:a") == "created:a");
  const int before = world.machine.streams_opened();
  for (int i = 0; i < 150; ++i) {
    world.machine.breaks_streams();
    ::usleep(10'000);
  }
  CHECK(world.machine.streams_opened() > before);
  CHECK(world.machine.streams_opened() - before <= 8);
  world.machine.says(raw(20, "start", "a"));
  CHECK(world.told_becomes("created:a started:a") == "created:a started:a");
}

TEST_CASE("EH05 an engine that goes away and comes back is said to have gone once, and to have come once") {
  EventsWorld world;
  Guarded<std::string> said;
  world.engine_state = [&](bool up, const std::string&) {
    said.with([&](auto& text) { text += up ? "up " : "down "; });
  };
  const auto now = [&] { return said.with([](const auto& text) { return text; }); };
  const auto events = world.start();
  CHECK(world.until("up ", now) == "up ");
  world.machine.is_up(false);
  CHECK(world.until("up down ", now) == "up down ");
  ::usleep(900'000);  // several tries to open it
  CHECK(now() == "up down ");
  world.machine.is_up(true);
  CHECK(world.until("up down up ", now) == "up down up ");
}

TEST_CASE("EV14 an event whose labels no message would carry goes out all the same", "[nats]") {
  NatsServer server;
  server.start();
  EventsWorld world;
  const auto bus = stream_on(server, world.seam);
  const auto events = world.start(bus.get());
  events->set_subjects(all_subjects());
  const std::string mega(1'500'000, 'x');
  world.machine.says(raw(10, "create", "a", {{"big", mega}, {"mesh-host.id", mega}}));
  world.machine.says(raw(20, "create", "b"));
  CHECK(world.told_becomes("created:a created:b") == "created:a created:b");
  CHECK(world.until("0", [&] { return world.column("SELECT count(*) FROM outbox"); }) == "0");
  const auto kept = bus->read_stream("BERTH_MESH_EVENTS", "mesh.>", 1, 10, 2s);
  REQUIRE(kept.ok());
  REQUIRE(kept->size() == 2);
  CHECK(kept->front().message.data.size() < 4096);
  CHECK(Json::parse(kept->front().message.data).at("container") == "a");
}

TEST_CASE("NA03 what is published as a broker dies is in the stream once it is back, in order and once",
          "[nats]") {
  NatsServer server;
  server.start();
  EventsWorld world;
  const auto bus = stream_on(server, world.seam);
  const auto events = world.start(bus.get());
  events->set_subjects(all_subjects());
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i)
      world.machine.says(raw(100 * round + i, "create", "a" + std::to_string(10 * round + i)));
    ::usleep(20'000);
    server.freeze();  // takes what is sent, and reads none of it
    for (int i = 10; i < 20; ++i)
      world.machine.says(raw(100 * round + i, "create", "b" + std::to_string(20 * round + i)));
    ::usleep(200'000);
    server.kill();
    server.start();
  }
  CHECK(none_waits(world) == "0");
  CHECK(numbers_in(*bus) == "1..60");
}

TEST_CASE("NA04 with a broker away for long, events are recorded as ever, and all go out when it is back",
          "[nats]") {
  NatsServer server;
  server.start();
  EventsWorld world;
  const auto bus = stream_on(server, world.seam);
  const auto events = world.start(bus.get());
  events->set_subjects(all_subjects());
  server.kill();
  constexpr int kMany = 3000;
  for (int i = 0; i < kMany; ++i) world.machine.says(raw(10 + i, "create", "c" + std::to_string(i)));
  CHECK(world.machine.everything_is_told());
  const auto waiting = [&] { return world.column("SELECT count(*) FROM outbox"); };
  CHECK(world.until(std::to_string(kMany), waiting) == std::to_string(kMany));
  server.start();
  for (int i = 0; i < 60 && waiting() != "0"; ++i) ::usleep(500'000);
  CHECK(waiting() == "0");
  CHECK(numbers_in(*bus) == "1.." + std::to_string(kMany));
  CHECK(world.column("SELECT count(*) FROM runtime_event WHERE kind = 'gap'") == "0");
}

TEST_CASE("NA13 a holder that is told to end as events come leaves none behind and none unsent", "[nats]") {
  NatsServer server;
  server.start();
  EventsWorld world;
  const auto bus = stream_on(server, world.seam);
  world.machine.says(raw(-10, "attach", "old"));  // the history reaches back
  for (int round = 0; round < 5; ++round) {
    const auto events = world.start(bus.get());
    events->set_subjects(all_subjects());
    for (int i = 0; i < 8; ++i)
      world.machine.says(raw(100 * round + i, "create", "c" + std::to_string(8 * round + i)));
    ::usleep(static_cast<useconds_t>(15'000 * round));
  }
  const auto events = world.start(bus.get());
  events->set_subjects(all_subjects());
  const auto told = [&] { return world.column("SELECT count(*) FROM runtime_event WHERE kind = 'created'"); };
  CHECK(world.until("40", told) == "40");
  CHECK(none_waits(world) == "0");
  CHECK(numbers_in(*bus) == "1..40");
}

}  // namespace berth::test
