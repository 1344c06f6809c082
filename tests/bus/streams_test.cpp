#include "bus/bus.h"
#include "catch.h"
#include "tests/bus/inbox.h"
#include "tests/support/nats_server.h"

using namespace std::chrono_literals;
using berth::Errc;
using berth::no_faults;
using berth::bus::Bus;
using berth::bus::BusConfig;
using berth::bus::StreamConfig;
using berth::test::NatsServer;
using berth::test::soon;

namespace {

struct Fixture {
  NatsServer server;
  std::unique_ptr<Bus> bus =
      Bus::connect(
          BusConfig{
              .url = server.url(), .user = {}, .password_file = {}, .creds = {}, .nkey_seed_file = {}, .tls = {}, .name = "test"},
          no_faults(), 5s)
          .value();
};

StreamConfig stream(std::vector<std::string> subjects) {
  return {.name = "S", .subjects = std::move(subjects)};
}

std::vector<std::string> texts(const std::vector<berth::bus::StreamMessage>& messages) {
  std::vector<std::string> list;
  for (const auto& m : messages)
    list.push_back(std::to_string(m.sequence) + ":" + m.message.subject + "=" + m.message.data);
  return list;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "a durable publish is acknowledged, kept once per id, and read back in order",
                 "[nats]") {
  REQUIRE(bus->ensure_stream(stream({"r.*"})).ok());
  REQUIRE(bus->ensure_stream(stream({"r.*"})).ok());
  CHECK(bus->publish_durable("r.a", "id-1", "one").value() == 1);
  CHECK(bus->publish_durable("r.a", "id-1", "one").value() == 1);
  CHECK(bus->publish_durable("r.b", "id-2", "two").value() == 2);
  CHECK(bus->publish_durable("r.a", "id-3", "three").value() == 3);
  using Texts = std::vector<std::string>;
  CHECK(texts(bus->read_stream("S", "r.*", 1, 100, 0ms).value()) ==
        Texts{"1:r.a=one", "2:r.b=two", "3:r.a=three"});
  CHECK(texts(bus->read_stream("S", "r.a", 2, 100, 0ms).value()) == Texts{"3:r.a=three"});
  CHECK(texts(bus->read_stream("S", "r.*", 1, 2, 0ms).value()) == Texts{"1:r.a=one", "2:r.b=two"});
  CHECK(bus->read_stream("S", "r.*", 4, 10, 60ms).value().empty());
  CHECK(bus->read_stream("S", "r.*", 1, 1, 0ms).value()[0].message.headers.find("Nats-Msg-Id")->second ==
        "id-1");
}

TEST_CASE_METHOD(Fixture, "reading waits for the first message, not longer than asked", "[nats]") {
  REQUIRE(bus->ensure_stream(stream({"r.*"})).ok());
  std::jthread later{[&] {
    std::this_thread::sleep_for(150ms);
    (void)bus->publish_durable("r.a", "id-1", "one");
  }};
  CHECK(bus->read_stream("S", "r.*", 1, 10, 5s).value().size() == 1);
}

TEST_CASE_METHOD(Fixture, "of two writers that expect the same last sequence one wins", "[nats]") {
  REQUIRE(bus->ensure_stream(stream({"lease"})).ok());
  CHECK_FALSE(bus->last_message("S", "lease").value().has_value());
  CHECK(bus->publish_durable("lease", "", "first", 0).value() == 1);
  const auto second = bus->publish_durable("lease", "", "second", 0);
  CHECK(second.error().code == Errc::conflict);
  CHECK(second.error().detail.find("wrong last sequence") != std::string::npos);
  const auto last = bus->last_message("S", "lease").value();
  REQUIRE(last.has_value());
  CHECK(last->message.data == "first");
  CHECK(bus->publish_durable("lease", "", "third", last->sequence).value() == 2);
}

TEST_CASE_METHOD(Fixture, "a stream is widened by a subject it lacks and keeps those it has", "[nats]") {
  REQUIRE(bus->ensure_stream(stream({"a.*"})).ok());
  REQUIRE(bus->publish_durable("a.1", "1", "x").ok());
  REQUIRE(bus->ensure_stream(stream({"b.*"})).ok());
  CHECK(bus->publish_durable("b.1", "2", "x").value() == 2);
  CHECK(bus->publish_durable("a.2", "3", "x").value() == 3);
}

TEST_CASE_METHOD(Fixture,
                 "a stream that is not there is named, and a publish that no stream keeps is an error",
                 "[nats]") {
  CHECK(bus->read_stream("NONE", "a", 1, 1, 0ms).error().code == Errc::not_found);
  const auto lost = bus->publish_durable("nowhere", "1", "x");
  CHECK(lost.error().code == Errc::unreachable);
  CHECK(lost.error().detail == "no stream keeps nowhere");
}

TEST_CASE_METHOD(Fixture, "what was acknowledged is there after the broker was killed", "[nats]") {
  REQUIRE(bus->ensure_stream(stream({"r.*"})).ok());
  REQUIRE(bus->publish_durable("r.a", "id-1", "one").ok());
  server.kill();
  server.start();
  REQUIRE(soon([&] { return bus->connected(); }));
  CHECK(soon([&] { return bus->read_stream("S", "r.*", 1, 10, 0ms).ok(); }));
  CHECK(bus->read_stream("S", "r.*", 1, 10, 0ms).value().size() == 1);
  CHECK(bus->publish_durable("r.a", "id-1", "one").value() == 1);
}
