// What the rendered permissions let through, asked of a real broker.
#include "bus/permissions.h"
#include "base/file.h"
#include "bus/bus.h"
#include "bus/subjects.h"
#include "tests/bus/inbox.h"
#include "tests/catalogue/world.h"
#include "tests/support/nats_server.h"

using namespace std::chrono_literals;
using namespace berth;             // NOLINT: a test reads better
using namespace berth::catalogue;  // NOLINT
using test::CatalogueWorld;

namespace {

const std::vector<std::string> kUsers = {"operator",   "console",      "host-alder",
                                         "host-birch", "holder-alder", "holder-birch"};

std::string passwords() {
  std::string text;
  for (const auto& user : kUsers) text += bus::password_variable(user) + ": \"pw-" + user + "\"\n";
  return text;
}

/// A broker that took the catalogue's file as it stands, and the fleet's users on it.
struct Broker {
  explicit Broker(CatalogueWorld& world)
      : server(
            "include \"permissions.conf\"", "",
            {{"secrets.conf", passwords()}, {"permissions.conf", render_permissions(world.store).value()}}) {}
  test::NatsServer server;

  std::unique_ptr<bus::Bus> as(const std::string& user) {
    bus::BusConfig config;
    config.url = server.url();
    config.user = user;
    config.password_file = server.password_file(user, "pw-" + user);
    config.inbox_prefix = bus::inbox_prefix(user);
    return bus::Bus::connect(config, no_faults(), 5s).value();
  }
};

bool may_publish(bus::Bus& as, const std::string& subject) {
  REQUIRE(as.publish({subject, "", {}, "x"}).ok());
  return as.flush(2s).ok();
}

bool may_subscribe(bus::Bus& as, const std::string& subject) {
  return as.subscribe(subject, [](const bus::Message&) {}).ok();
}

std::string on(const std::string& machine, const std::string& rest) {
  return "mesh." + machine + ".node-container-runtime." + rest;
}

}  // namespace

TEST_CASE("a grant of every tool does not reach a changing verb", "[catalogue][nats]") {
  CatalogueWorld world;
  world.hold("alder");
  Broker broker{world};
  const auto console = broker.as("console");
  CHECK(may_publish(*console, on("alder", "read.list.console")));
  CHECK(may_publish(*console, on("alder", "read.daemon_config.console")));
  for (const auto* verb : {"start", "stop", "restart", "create", "remove", "prune"}) {
    CAPTURE(verb);
    CHECK_FALSE(may_publish(*console, on("alder", std::string{"act."} + verb + ".console")));
  }
  // `read.*` lets the broker pass a changing verb's name under the wrong class: no holder is issued it.
  const auto file = seat_file(world.store, "alder", kRuntimeSeat).value();
  CHECK_FALSE(file["subjects"]["read"].contains("stop"));
  const auto holder = broker.as("holder-alder");
  CHECK_FALSE(may_subscribe(*holder, on("alder", "read.stop.*")));
}

TEST_CASE("the operator reaches the changing verbs that are granted by name, and no other",
          "[catalogue][nats]") {
  CatalogueWorld world;
  world.hold("alder");
  Broker broker{world};
  const auto op = broker.as("operator");
  CHECK(may_publish(*op, on("alder", "act.stop.operator")));
  CHECK_FALSE(may_publish(*op, on("alder", "act.remove.operator")));
  CHECK_FALSE(may_publish(*op, on("birch", "act.stop.operator")));  // nothing is issued there yet
  CHECK(may_publish(*op, "mesh.birch.host.push"));
}

TEST_CASE(
    "a caller can neither serve verbs, nor emit events, nor call as another, nor read another's replies",
    "[catalogue][nats]") {
  CatalogueWorld world;
  world.hold("alder");
  Broker broker{world};
  const auto console = broker.as("console");
  CHECK_FALSE(may_subscribe(*console, on("alder", "read.list.*")));
  CHECK_FALSE(may_subscribe(*console, on("alder", "act.stop.operator")));
  CHECK_FALSE(may_publish(*console, on("alder", "event.created")));
  CHECK_FALSE(may_publish(*console, on("alder", "read.list.operator")));
  CHECK_FALSE(may_publish(*console, "mesh.alder.host.push"));
  CHECK_FALSE(may_publish(*console, "$JS.API.STREAM.DELETE.BERTH_MESH_EVENTS"));
  CHECK_FALSE(may_subscribe(*console, "_INBOX.operator.>"));
  CHECK(may_subscribe(*console, "_INBOX.console.>"));
}

TEST_CASE("a holder serves what it was issued and emits its own events, on its own machine",
          "[catalogue][nats]") {
  CatalogueWorld world;
  world.hold("alder");
  Broker broker{world};
  const auto holder = broker.as("holder-alder");
  const auto file = seat_file(world.store, "alder", kRuntimeSeat).value();
  for (const auto* cls : {"read", "act"}) {
    for (const auto& [verb, subject] : file["subjects"][cls].items()) CHECK(may_subscribe(*holder, subject));
  }
  for (const auto& [kind, subject] : file["subjects"]["event"].items()) CHECK(may_publish(*holder, subject));
  CHECK_FALSE(may_publish(*holder, on("birch", "event.created")));
  CHECK_FALSE(may_publish(*holder, on("alder", "act.stop.operator")));
  CHECK_FALSE(may_subscribe(*holder, on("birch", "read.list.*")));
  const auto unheld = broker.as("holder-birch");  // logs in, and may do nothing yet
  CHECK_FALSE(may_subscribe(*unheld, on("birch", "read.list.*")));
  CHECK_FALSE(may_publish(*unheld, on("birch", "event.created")));
}

TEST_CASE("a call reaches the holder and its answer comes back, through the rendered permissions",
          "[catalogue][nats]") {
  CatalogueWorld world;
  world.hold("alder");
  Broker broker{world};
  const auto holder = broker.as("holder-alder");
  const auto console = broker.as("console");
  test::Inbox asked;
  const auto serving = holder->subscribe(on("alder", "read.list.*"), asked.handler());
  REQUIRE(serving.ok());
  REQUIRE(holder->flush(2s).ok());
  std::thread answering{[&] {
    if (asked.holds(1)) (void)holder->publish({asked.messages()[0].reply, "", {}, "[]"});
  }};
  const auto answer = console->request(on("alder", "read.list.console"), "{}", 5s);
  answering.join();
  REQUIRE(answer.ok());
  CHECK(answer->data == "[]");
  CHECK(asked.messages()[0].subject == on("alder", "read.list.console"));
}

TEST_CASE("no password is in the rendered file", "[catalogue]") {
  CatalogueWorld world;
  const auto text = render_permissions(world.store).value();
  CHECK(text.starts_with("include \"secrets.conf\"\n"));
  for (const auto& user : kUsers)
    CHECK(text.find("password: $" + bus::password_variable(user)) != std::string::npos);
  CHECK(text.find("password: \"") == std::string::npos);
}

TEST_CASE("a revoked grant is gone from a live connection at the broker's reload, and so are a new one's bounds",
          "[catalogue][nats]") {
  CatalogueWorld world;
  world.hold("alder");
  REQUIRE(grant(world.store, "console", "stop", "alder").ok());
  Broker broker{world};
  const auto console = broker.as("console");
  const auto reload = [&] {
    REQUIRE(write_file(broker.server.folder() / "permissions.conf", render_permissions(world.store).value(), 0600, no_faults()));
    broker.server.set_authorization("include \"permissions.conf\"");
  };
  const auto stop = on("alder", "act.stop.console"), list = on("alder", "read.list.console");
  CHECK(may_publish(*console, stop));
  REQUIRE(revoke(world.store, "console", "stop", "alder").ok());
  reload();
  CHECK(test::soon([&] { return !may_publish(*console, stop); }));
  CHECK(may_publish(*console, list));  // what was not revoked stays, on the same connection
  REQUIRE(revoke(world.store, "console", "*", "*").ok());
  reload();
  CHECK(test::soon([&] { return !may_publish(*console, list); }));
  REQUIRE(grant(world.store, "console", "restart", "alder").ok());
  reload();
  CHECK(test::soon([&] { return may_publish(*console, on("alder", "act.restart.console")); }));
  CHECK_FALSE(may_publish(*console, stop));
  CHECK_FALSE(may_publish(*console, on("birch", "act.restart.console")));
}

TEST_CASE("a permissions file that the broker cannot read changes nobody's rights", "[catalogue][nats]") {
  CatalogueWorld world;
  world.hold("alder");
  Broker broker{world};
  const auto console = broker.as("console");
  REQUIRE(write_file(broker.server.folder() / "permissions.conf", "authorization { users = [ {", 0600, no_faults()));
  broker.server.set_authorization("include \"permissions.conf\"");
  for (int i = 0; i < 5; ++i) {
    CHECK(may_publish(*console, on("alder", "read.list.console")));
    CHECK_FALSE(may_publish(*console, on("alder", "act.stop.console")));
    std::this_thread::sleep_for(20ms);
  }
}

TEST_CASE("a user with an nkey in the fleet document logs in by its seed and has its rights, others by password as before",
          "[catalogue][nats]") {
  // A pair that NATS prints in its own documentation.
  const std::string seed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
  auto fleet = test::small_fleet();
  fleet.bus.nkeys = {{"console", "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"}};
  CatalogueWorld world{fleet};
  world.hold("alder");
  const auto file = render_permissions(world.store).value();
  CHECK(file.find("$CONSOLE_PASSWORD") == std::string::npos);
  std::string secrets;
  for (const auto& user : kUsers) {
    if (user != "console") secrets += bus::password_variable(user) + ": \"pw-" + user + "\"\n";
  }
  test::NatsServer server{"include \"permissions.conf\"", "", {{"secrets.conf", secrets}, {"permissions.conf", file}, {"console.nk", seed}}};
  bus::BusConfig config;
  config.url = server.url();
  config.nkey_seed_file = server.folder() / "console.nk";
  config.inbox_prefix = bus::inbox_prefix("console");
  const auto console = bus::Bus::connect(config, no_faults(), 5s);
  if (!console) FAIL(console.error().detail);
  CHECK(may_publish(**console, on("alder", "read.list.console")));
  CHECK_FALSE(may_publish(**console, on("alder", "read.list.operator")));
  CHECK_FALSE(may_publish(**console, on("alder", "act.stop.console")));
  CHECK(may_subscribe(**console, "_INBOX.console.>"));
  CHECK_FALSE(may_subscribe(**console, "_INBOX.operator.>"));
}
