#include "bus/permissions.h"

#include "base/json.h"
#include "bus/bus.h"
#include "bus/subjects.h"
#include "catch.h"
#include "tests/bus/inbox.h"
#include "tests/support/nats_server.h"

using namespace std::chrono_literals;
using namespace berth::bus;  // NOLINT: a test reads better
using berth::CallerName;
using berth::Errc;
using berth::FleetName;
using berth::MachineName;
using berth::no_faults;
using berth::test::Inbox;
using berth::test::NatsServer;

namespace {

const auto kMesh = FleetName::parse("mesh").value();
const auto kAlder = MachineName::parse("alder").value();
const auto kOperator = CallerName::parse("operator").value();
const auto kConsole = CallerName::parse("console").value();

std::vector<User> fleet_users() {
  return {
      operator_user(kMesh, kOperator, {verb_subject(kMesh, kAlder, "act", "stop", kOperator)}),
      caller_user(kConsole, {verb_subject(kMesh, kAlder, "read", "list", kConsole)}),
      holder_user(kAlder, {event_subject(kMesh, kAlder, "created")},
                  {verb_pattern(kMesh, kAlder, "read", "list"), verb_pattern(kMesh, kAlder, "act", "stop")}),
      host_user(kMesh, kAlder)};
}

std::string passwords() {
  std::string text;
  for (const auto& user : fleet_users())
    text += password_variable(user.name) + ": \"pw-" + user.name + "\"\n";
  return text;
}

/// The broker as berth renders it, with the files of its folder, and one bus a user.
struct Fleet {
  NatsServer server{
      "include \"permissions.conf\"",
      "",
      {{"secrets.conf", passwords()}, {"permissions.conf", render_permissions_file(fleet_users())}}};

  std::unique_ptr<Bus> as(const std::string& user) {
    BusConfig config;
    config.url = server.url();
    config.user = user;
    config.password_file = server.password_file(user, "pw-" + user);
    config.inbox_prefix = inbox_prefix(user);
    return Bus::connect(config, no_faults(), 5s).value();
  }
};

berth::bus::Message text(std::string subject) { return {std::move(subject), "", {}, "x"}; }

bool may_publish(Bus& bus, const std::string& subject) {
  REQUIRE(bus.publish(text(subject)).ok());
  return bus.flush(2s).ok();
}

bool may_subscribe(Bus& bus, const std::string& subject) {
  return bus.subscribe(subject, [](const Message&) {}).ok();
}

}  // namespace

TEST_CASE("the broker takes the rendered block, and each user may do its work and nothing else", "[nats]") {
  Fleet fleet;
  const auto console = fleet.as("console");
  const auto holder = fleet.as("holder-alder");
  const auto host = fleet.as("host-alder");
  const auto op = fleet.as("operator");

  CHECK(may_publish(*console, "mesh.alder.node-container-runtime.read.list.console"));
  CHECK_FALSE(may_publish(*console, "mesh.alder.node-container-runtime.read.list.operator"));
  CHECK_FALSE(may_publish(*console, "mesh.alder.node-container-runtime.act.stop.console"));
  CHECK_FALSE(may_publish(*console, "mesh.alder.host.push"));
  CHECK_FALSE(may_publish(*console, "_INBOX.operator.x"));
  CHECK_FALSE(may_subscribe(*console, "_INBOX.>"));
  CHECK_FALSE(may_subscribe(*console, "_INBOX.operator.>"));
  CHECK_FALSE(may_subscribe(*console, "mesh.>"));

  CHECK(may_publish(*holder, "mesh.alder.node-container-runtime.event.created"));
  CHECK(may_publish(*holder, "_INBOX.console.x"));
  CHECK_FALSE(may_publish(*holder, "mesh.birch.node-container-runtime.event.created"));
  CHECK_FALSE(may_publish(*holder, "mesh.alder.host.push"));
  CHECK(may_subscribe(*holder, "mesh.alder.node-container-runtime.act.stop.*"));
  CHECK(may_subscribe(*holder, "$SRV.PING"));
  CHECK_FALSE(may_subscribe(*holder, "mesh.alder.node-container-runtime.act.remove.*"));

  CHECK(may_subscribe(*host, "mesh.alder.host.push"));
  CHECK_FALSE(may_subscribe(*host, "mesh.birch.host.push"));
  CHECK_FALSE(may_publish(*host, "mesh.birch.host.report"));
  CHECK(may_publish(*op, "mesh.birch.host.push"));
  CHECK_FALSE(may_publish(*op, "mesh.alder.node-container-runtime.act.remove.operator"));
}

TEST_CASE("with the rendered permissions reports and events are durable, and a call is answered", "[nats]") {
  Fleet fleet;
  const auto op = fleet.as("operator");
  const auto host = fleet.as("host-alder");
  const auto holder = fleet.as("holder-alder");
  REQUIRE(
      op->ensure_stream({.name = stream_name(kMesh, "REPORTS"), .subjects = {"mesh.*.host.report"}}).ok());
  REQUIRE(op->ensure_stream(
                {.name = stream_name(kMesh, "EVENTS"), .subjects = {"mesh.*.node-container-runtime.event.*"}})
              .ok());
  REQUIRE(op->ensure_stream({.name = stream_name(kMesh, "LEASE"), .subjects = {lease_subject(kMesh)}}).ok());
  CHECK(host->publish_durable("mesh.alder.host.report", "alder:1", "{}").ok());
  CHECK(holder->publish_durable("mesh.alder.node-container-runtime.event.created", "alder:2", "{}").ok());
  CHECK(op->publish_durable("mesh.lease", "", "{}", 0).ok());
  CHECK(op->read_stream("BERTH_MESH_REPORTS", "mesh.*.host.report", 1, 10, 0ms).value().size() == 1);
  CHECK(op->last_message("BERTH_MESH_LEASE", "mesh.lease").value().has_value());

  const auto served = holder->subscribe(verb_pattern(kMesh, kAlder, "act", "stop"), [&](const Message& m) {
    (void)holder->publish({m.reply, "", {}, "done"});
  });
  REQUIRE(served.ok());
  CHECK(op->request("mesh.alder.node-container-runtime.act.stop.operator", "{}", 2s).value().data == "done");
}

TEST_CASE("equal grants render to equal bytes, and a user that may nothing gets nothing") {
  auto users = fleet_users();
  const auto once = render_authorization(users);
  std::swap(users[0], users[3]);
  CHECK(render_authorization(users) == once);
  CHECK(password_variable("holder-alder") == "HOLDER_ALDER_PASSWORD");
  CHECK(once.find("password: $HOLDER_ALDER_PASSWORD") != std::string::npos);
  CHECK(once.find("allow_responses") == std::string::npos);
  const std::vector<User> nobody{{"n", {}, {}}};
  CHECK(render_authorization(nobody).find("publish: { deny: \">\" }") != std::string::npos);
}
