#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/json.h"
#include "bus/bus.h"
#include "bus/whole.h"
#include "catch.h"
#include "migrate/port.h"
#include "tests/migrate/fleet_file.h"
#include "tests/support/nats_server.h"

using namespace std::chrono_literals;
using berth::Errc;
using berth::Json;
using berth::no_faults;
using berth::test::FleetFile;
using berth::test::NatsServer;

namespace {

/// A broker, a host that answers on one machine's subjects, and the runner's port.
struct World {
  NatsServer server;
  FleetFile file;
  std::unique_ptr<berth::bus::Bus> host;
  std::unique_ptr<berth::migrate::Port> port;

  explicit World(const std::string& more = "") : server("", more) {
    berth::bus::BusConfig config;
    config.url = server.url();
    host = berth::bus::Bus::connect(config, no_faults(), 5s).value();
    file.document["bus"]["url"] = server.url();
    std::filesystem::create_directories(file.folder() / "secrets");
    std::ofstream{file.folder() / "secrets/operator.password"} << "any\n";
    port = berth::migrate::open_port(berth::migrate::FleetDocument::load(file.write()).value(), no_faults())
               .value();
  }
};

}  // namespace

TEST_CASE("the runner's port asks a machine, hears its refusals as they are, and says when nobody listens",
          "[migrate][nats]") {
  World world;
  const auto answers = world.host->subscribe("mesh.alder.host.*", [&](const berth::bus::Message& m) {
    const auto request = Json::parse(m.data);
    const bool known = request.value("what", "") == "status" || request.contains("push_id");
    const Json reply = known ? Json{{"echo", request}}
                             : berth::to_problem(berth::fail(Errc::stale, "token 3 is older than 7"));
    (void)world.host->publish({m.reply, "", {}, reply.dump()});
  });
  REQUIRE(answers.ok());
  CHECK(world.port->ask("alder", {{"what", "status"}}, 2s).value()["echo"]["what"] == "status");
  CHECK(world.port->ask_anew("alder", {{"what", "status"}}, 2s).value()["echo"]["what"] == "status");
  CHECK(world.port->push("alder", {{"push_id", "p"}}).value()["echo"]["push_id"] == "p");
  const auto refused = world.port->ask("alder", {{"what", "nonsense"}}, 2s);
  CHECK(refused.error().code == Errc::stale);
  CHECK(refused.error().detail == "alder: token 3 is older than 7");
  const auto silent = world.port->ask("birch", {{"what", "status"}}, 2s);
  CHECK(silent.error().code == Errc::unreachable);
  CHECK(silent.error().detail == "ask birch: nobody listens on mesh.birch.host.ask");
}

TEST_CASE("the fleet's streams keep reports, events and the lease, and one of two claims wins",
          "[migrate][nats]") {
  World world;
  REQUIRE(world.port->ensure_streams().ok());
  CHECK_FALSE(world.port->last_lease().value().has_value());
  CHECK(world.port->claim_lease("first", 0).value() == 1);
  CHECK(world.port->claim_lease("second", 0).error().code == Errc::conflict);
  CHECK(world.port->last_lease().value()->text == "first");
  CHECK(world.port->reports_end("alder").value() == 1);
  REQUIRE(world.host->publish_durable("mesh.alder.host.report", "alder:0:1", "r1").ok());
  REQUIRE(world.host->publish_durable("mesh.birch.host.report", "birch:0:1", "r2").ok());
  REQUIRE(
      world.host->publish_durable("mesh.alder.node-container-runtime.event.created", "alder:1:1", "e1").ok());
  CHECK(world.port->reports("birch", 1, 0ms).value().at(0).text == "r2");
  CHECK(world.port->reports("birch", 3, 0ms).value().empty());
  CHECK(world.port->reports_end("birch").value() == 3);
  CHECK(world.port->events("alder", 1, 1s).value().at(0).text == "e1");
}

TEST_CASE("a broker that is not there is unreachable, with its address", "[migrate][nats]") {
  FleetFile file;
  file.document["bus"]["url"] = "nats://127.0.0.1:1";
  std::filesystem::create_directories(file.folder() / "secrets");
  std::ofstream{file.folder() / "secrets/operator.password"} << "a password";
  const auto port =
      berth::migrate::open_port(berth::migrate::FleetDocument::load(file.write()).value(), no_faults());
  REQUIRE_FALSE(port.ok());
  CHECK(port.error().code == Errc::unreachable);
}

TEST_CASE("a report larger than the broker takes is read by the runner as one, at its last part", "[migrate][nats][parts]") {
  World world{"max_payload: 4096"};
  REQUIRE(world.port->ensure_streams().ok());
  const auto large = Json{{"machine", "alder"}, {"detail", std::string(20000, 'x')}}.dump();
  REQUIRE(berth::bus::publish_whole(*world.host, "mesh.alder.host.report", "alder:0:1", large).ok());
  const auto kept = world.port->reports("alder", 1, 0ms).value();
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].text == large);
  CHECK(kept[0].sequence + 1 == world.port->reports_end("alder").value());
}
