#include <atomic>

#include "base/file.h"
#include "bus/bus.h"
#include "catch.h"
#include "tests/bus/inbox.h"
#include "tests/support/nats_server.h"

using namespace std::chrono_literals;
using berth::Errc;
using berth::no_faults;
using berth::bus::Bus;
using berth::bus::BusConfig;
using berth::bus::Message;
using berth::test::Inbox;
using berth::test::NatsServer;
using berth::test::soon;

namespace {

BusConfig at(const std::string& url) {
  BusConfig config;
  config.url = url;
  return config;
}

BusConfig as(const NatsServer& server, const std::string& user, const std::string& password) {
  auto config = at(server.url());
  config.user = user;
  config.password_file = server.password_file(user, password);
  config.inbox_prefix = "_INBOX." + user;
  return config;
}

Message text(std::string subject, std::string data) { return {std::move(subject), "", {}, std::move(data)}; }

std::string one_user(const std::string& password, const std::string& permissions = "") {
  return "authorization { users = [ { user: \"u\", password: \"" + password + "\" " + permissions + " } ] }";
}

}  // namespace

TEST_CASE("NA11 a bus starts at once without a broker, says why, and connects when the broker comes",
          "[nats]") {
  NatsServer server;
  server.kill();
  std::atomic<int> ups{0};
  std::atomic<int> downs{0};
  const auto begun = std::chrono::steady_clock::now();
  const auto bus =
      Bus::start(at(server.url()), no_faults(), [&](bool up, const std::string&) { ++(up ? ups : downs); });
  CHECK(std::chrono::steady_clock::now() - begun < 200ms);
  CHECK_FALSE(bus->connected());
  CHECK(bus->publish(text("a.b", "x")).error().code == Errc::unreachable);
  CHECK(bus->request("a.b", "x", 100ms).error().code == Errc::unreachable);
  CHECK(soon([&] { return downs == 1; }));
  server.start();
  CHECK(soon([&] { return bus->connected(); }));
  CHECK(bus->publish(text("a.b", "x")).ok());
  CHECK(soon([&] { return ups == 1; }));
  CHECK(downs == 1);
}

TEST_CASE("connect with a bound says what it could not reach and why", "[nats]") {
  const auto bus = Bus::connect(at("nats://127.0.0.1:1"), no_faults(), 300ms);
  REQUIRE_FALSE(bus.ok());
  CHECK(bus.error().code == Errc::unreachable);
  CHECK(bus.error().detail.find("nats://127.0.0.1:1") != std::string::npos);
  CHECK(bus.error().detail.find("No server available") != std::string::npos);
}

TEST_CASE("a request is answered, with headers; one to nobody is unreachable; a silent one times out",
          "[nats]") {
  NatsServer server;
  const auto bus = Bus::connect(at(server.url()), no_faults(), 5s).value();
  const auto other = Bus::connect(at(server.url()), no_faults(), 5s).value();
  const auto echo = other->subscribe("echo.*", [&](const Message& m) {
    (void)other->publish({m.reply,
                          "",
                          {{"Nats-Service-Error-Code", "404"}, {"X", "1"}, {"X", "2"}},
                          m.subject + "=" + m.data});
  });
  const auto mute = other->subscribe("mute", [](const Message&) {});
  REQUIRE(echo.ok());
  const auto reply = bus->request("echo.me", "hello", 2s);
  REQUIRE(reply.ok());
  CHECK(reply->data == "echo.me=hello");
  CHECK(reply->headers.find("Nats-Service-Error-Code")->second == "404");
  CHECK(reply->headers.count("X") == 2);
  CHECK(bus->request("nobody", "x", 2s).error().code == Errc::unreachable);
  const auto late = bus->request("mute", "x", 150ms);
  CHECK(late.error().code == Errc::timeout);
  CHECK(late.error().detail == "no reply from mute within 150 ms");
}

TEST_CASE("NA06 a subscription survives the broker's death, and nothing is delivered once it is taken away",
          "[nats]") {
  NatsServer server;
  const auto bus = Bus::connect(at(server.url()), no_faults(), 5s).value();
  Inbox inbox;
  {
    const auto subscription = bus->subscribe("a.*", inbox.handler()).value();
    REQUIRE(bus->publish(text("a.1", "before")).ok());
    REQUIRE(inbox.holds(1));
    server.kill();
    REQUIRE(soon([&] { return !bus->connected(); }));
    server.start();
    REQUIRE(soon([&] { return bus->connected(); }));
    REQUIRE(bus->publish(text("a.2", "after")).ok());
    REQUIRE(inbox.holds(2));
    CHECK(inbox.messages()[1].data == "after");
  }
  REQUIRE(bus->publish(text("a.3", "gone")).ok());
  REQUIRE(bus->flush(2s).ok());
  CHECK_FALSE(inbox.holds(3, 100ms));
}

TEST_CASE("a subscription made while the broker is away works when it comes", "[nats]") {
  NatsServer server;
  server.kill();
  const auto bus = Bus::start(at(server.url()), no_faults());
  Inbox inbox;
  const auto subscription = bus->subscribe("late", inbox.handler());
  REQUIRE(subscription.ok());
  server.start();
  REQUIRE(soon([&] { return bus->connected(); }));
  REQUIRE(bus->publish(text("late", "x")).ok());
  CHECK(inbox.holds(1));
  CHECK_FALSE(inbox.holds(2, 100ms));
}

TEST_CASE("a handler may take its own subscription away, and a subscription may outlive its bus", "[nats]") {
  NatsServer server;
  auto bus = Bus::connect(at(server.url()), no_faults(), 5s).value();
  std::optional<berth::bus::Subscription> once;
  std::atomic<int> calls{0};
  std::atomic<bool> ready{false};
  once.emplace(bus->subscribe("once",
                              [&](const Message&) {
                                while (!ready) std::this_thread::yield();
                                ++calls;
                                once.reset();
                              })
                   .value());
  ready = true;
  for (int i = 0; i < 5; ++i) REQUIRE(bus->publish(text("once", "x")).ok());
  CHECK(soon([&] { return calls == 1; }));
  REQUIRE(bus->flush(2s).ok());
  CHECK(calls == 1);
  const auto outlives = bus->subscribe("a", [](const Message&) {}).value();
  bus.reset();
}

TEST_CASE("NA05 refused log-ins never close the bus for good; the password file is read at each connect",
          "[nats]") {
  NatsServer server{one_user("first")};
  auto config = as(server, "u", "first");
  const auto bus = Bus::connect(config, no_faults(), 5s).value();
  Inbox inbox;
  const auto subscription = bus->subscribe("a", inbox.handler()).value();
  server.set_authorization(one_user("second"));
  REQUIRE(soon([&] { return !bus->connected(); }));
  std::this_thread::sleep_for(600ms);  // several refused log-ins
  CHECK_FALSE(bus->connected());
  const auto refused = bus->publish(text("a", "x"));
  INFO((refused ? "none" : refused.error().detail));
  CHECK(refused.error().detail.find("Authorization Violation") != std::string::npos);
  server.password_file("u", "second");
  REQUIRE(soon([&] { return bus->connected(); }));
  REQUIRE(bus->publish(text("a", "x")).ok());
  CHECK(inbox.holds(1));
}

TEST_CASE("a password file that is not there is told at once, by name, and not as a silent broker", "[bus]") {
  auto config = at("nats://127.0.0.1:1");
  config.user = "u";
  config.password_file = "/nonexistent/u.password";
  const auto bus = Bus::connect(config, no_faults(), 10s);
  REQUIRE(!bus);
  CHECK(bus.error().code == Errc::not_found);
  CHECK(bus.error().detail.find("/nonexistent/u.password") != std::string::npos);
}

TEST_CASE(
    "NA01 a forbidden publish is not_granted after the flush, a forbidden request long before its bound",
    "[nats]") {
  NatsServer server{one_user(
      "p",
      ", permissions: { publish: { allow: [\"ok\"] }, subscribe: { allow: [\"ok\", \"_INBOX.u.>\"] } }")};
  const auto bus = Bus::connect(as(server, "u", "p"), no_faults(), 5s).value();
  REQUIRE(bus->publish(text("no.1", "x")).ok());
  const auto refused = bus->flush(2s);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Errc::not_granted);
  CHECK(refused.error().detail.find("no.1") != std::string::npos);
  REQUIRE(bus->publish(text("ok", "x")).ok());
  CHECK(bus->flush(2s).ok());

  const auto begun = std::chrono::steady_clock::now();
  CHECK(bus->request("no.2", "x", 10s).error().code == Errc::not_granted);
  CHECK(bus->publish_durable("no.3", "id", "x").error().code == Errc::not_granted);
  CHECK(std::chrono::steady_clock::now() - begun < 2s);
  CHECK(bus->subscribe("no.>", [](const Message&) {}).error().code == Errc::not_granted);
  CHECK(bus->connected());
}

TEST_CASE("a subscription works as soon as the broker's permissions allow it, on the same connection",
          "[nats]") {
  const std::string little = ", permissions: { publish: \">\", subscribe: { allow: [\"a\"] } }";
  const std::string much = ", permissions: { publish: \">\", subscribe: { allow: [\"a\", \"b\"] } }";
  NatsServer server{one_user("p", much)};
  const auto bus = Bus::connect(as(server, "u", "p"), no_faults(), 5s).value();
  Inbox inbox;
  const auto subscription = bus->subscribe("b", inbox.handler()).value();
  server.set_authorization(one_user("p", little));
  std::this_thread::sleep_for(200ms);
  REQUIRE(bus->publish(text("b", "lost")).ok());
  CHECK_FALSE(inbox.holds(1, 200ms));
  server.set_authorization(one_user("p", much));
  CHECK(soon([&] {
    (void)bus->publish(text("b", "again"));
    return inbox.holds(1, 50ms);
  }));
}

TEST_CASE("NA02 a message over the server's max_payload is too_large and the bus goes on", "[nats]") {
  NatsServer server{"", "max_payload: 2048"};
  const auto bus = Bus::connect(at(server.url()), no_faults(), 5s).value();
  CHECK(bus->max_payload() == 2048);
  CHECK(bus->publish(text("a", std::string(2049, 'x'))).error().code == Errc::too_large);
  CHECK(bus->request("a", std::string(2049, 'x'), 1s).error().code == Errc::too_large);
  CHECK(bus->publish(text("a", std::string(2048, 'x'))).ok());
  CHECK(bus->flush(2s).ok());
}

TEST_CASE("NA07 a text that is no subject never reaches the wire", "[nats]") {
  NatsServer server;
  const auto bus = Bus::connect(at(server.url()), no_faults(), 5s).value();
  for (const std::string subject :
       {"", "a..b", "a.", ".a", "a b", "a\tb", "a\r\nPUB x 0\r\n", "a.*", "a.>", "a\x7f"}) {
    CAPTURE(subject);
    CHECK(bus->publish(text(subject, "x")).error().code == Errc::bad_request);
  }
  CHECK(bus->subscribe("a.>.b", [](const Message&) {}).error().code == Errc::bad_request);
  CHECK(bus->subscribe("a.b*", [](const Message&) {}).error().code == Errc::bad_request);
  CHECK(bus->subscribe("a.*.>", [](const Message&) {}).ok());
}

TEST_CASE("a broker that dies while a request waits ends the wait, saying that the outcome is unknown",
          "[nats]") {
  NatsServer server;
  const auto bus = Bus::connect(at(server.url()), no_faults(), 5s).value();
  const auto mute = bus->subscribe("mute", [&](const Message&) {});
  std::jthread killer{[&] {
    std::this_thread::sleep_for(150ms);
    server.kill();
  }};
  const auto begun = std::chrono::steady_clock::now();
  const auto reply = bus->request("mute", "x", 20s);
  CHECK(reply.error().code == Errc::unreachable);
  CHECK(reply.error().detail.find("not known") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - begun < 5s);
}
