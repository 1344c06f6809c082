#include <algorithm>

#include "tests/host/apply/world.h"
#include "tests/host/support/fake_holder.h"

using namespace berth;
using namespace berth::test;

namespace {

std::unique_ptr<host::path::Path> forbidden_cli(Seam&) {
  FAIL("the command line was reached for");
  return nullptr;
}

// The apply's side of a container, whatever the type does with it: asked for by name, made where it is
// missing.
Status check_any(const Json&) { return {}; }
Result<Json> read_container(host::resources::World& world, const Json& declared) {
  const auto seen = world.path->inspect(declared["spec"]["name"].get<std::string>());
  if (!seen && seen.error().code != Errc::not_found) return seen.error();
  return Json{{"exists", seen.ok()}};
}
Result<host::resources::Acted> make_container(host::resources::World& world, const Json& declared,
                                              const Json&, const Json&) {
  host::resources::Acted acted;
  if (TRY(read_container(world, declared))["exists"] == true) return acted;
  auto spec = must(holder::client::parse_spec(declared["spec"], holder::client::Asker::host));
  spec.assignment = "web";
  acted.applied["id"] = TRY(world.path->create(spec));
  acted.changed = true;
  acted.action = "created";
  return acted;
}
Result<host::resources::Acted> remove_container(host::resources::World& world, const Json&, const Json&,
                                                const Json& before) {
  TRY(world.path->remove(before["id"].get<std::string>()));
  return host::resources::Acted{};
}
std::string container_name(const Json& declared) { return declared["spec"]["name"]; }
constexpr host::resources::Type kContainer{"container",    check_any,        read_container,
                                           make_container, remove_container, container_name};
const host::resources::Type* types(std::string_view name) {
  return name == "container" ? &kContainer : host::resources::find_type(name);
}

Json app(const std::string& name) {
  return {
      {"name", "web"},
      {"assignment", "web"},
      {"claims", Json::array()},
      {"resources",
       {{{"id", "app"}, {"type", "container"}, {"spec", {{"name", name}, {"image", "berth-practice:1"}}}}}}};
}

bool latched(Birch& birch) { return must(host::apply::is_latched(birch.host().store)); }

}  // namespace

TEST_CASE("the start release goes by the command line also while the seat is held, and knows that it is") {
  Birch birch(kStartRelease);
  const auto report = birch.carry_out(birch.push("apply", Json::array(), {{"seat", seat_of_birch()}}));
  CHECK(report["path"] == "cli");
  CHECK(report["seat"]["held"] == true);
  CHECK_FALSE(latched(birch));
  CHECK(must(parse_json(birch.room.root.read("/etc/berth/seat.json"), "seat")) == seat_of_birch());
}

TEST_CASE("the release with both paths latches at its start when a seat was accepted before it came") {
  Birch birch(kStartRelease);
  birch.carry_out(birch.push("apply", Json::array(), {{"seat", seat_of_birch()}}));
  birch.release(kBothRelease, "1.1.0");
  must(birch.host().applier.start());
  CHECK(latched(birch));
  must(birch.host().applier.again());
  CHECK(birch.host().applier.last_said()->path == host::path::Kind::holder);
}

TEST_CASE(
    "the release with both paths latches in the transaction that accepts the seat, and silence never "
    "unlatches it") {
  Birch birch(kBothRelease);
  must(birch.host().applier.again());
  CHECK(birch.host().applier.last_said()->path == host::path::Kind::cli);
  must(birch.host().applier.take(birch.push("apply", Json::array(), {{"seat", seat_of_birch()}})));
  CHECK(latched(birch));
  birch.die();
  birch.engine.down = true;
  must(birch.host().applier.start());
  CHECK(birch.host().applier.last_said()->path == host::path::Kind::none);
  // A seat taken away again does not lead back to the command line either.
  birch.engine.down = false;
  birch.carry_out(birch.push("apply", Json::array(), {{"seat", Json::object()}}));
  CHECK(birch.host().applier.last_said()->path == host::path::Kind::holder);
  CHECK_FALSE(birch.room.root.has("/etc/berth/seat.json"));
}

TEST_CASE("a seat of another machine, or one that is not held, latches nothing") {
  Birch birch(kBothRelease);
  auto seat = seat_of_birch();
  seat["held"] = false;
  birch.carry_out(birch.push("apply", Json::array(), {{"seat", seat}}));
  CHECK_FALSE(latched(birch));
  seat = seat_of_birch();
  seat["machine"] = "cedar";
  CHECK(birch.host().applier.take(birch.push("apply", Json::array(), {{"seat", seat}})).error().field ==
        "seat.machine");
}

TEST_CASE("a back-out of the push that brought the seat takes the seat and its file away") {
  Birch birch(kStartRelease);
  birch.carry_out(birch.push("apply", Json::array(), {{"seat", seat_of_birch()}}));
  birch.carry_out(birch.push("back_out", Json::array(), {{"restores", "p1"}}));
  CHECK(must(host::apply::stored_seat(birch.host().store)).is_null());
  CHECK_FALSE(birch.room.root.has("/etc/berth/seat.json"));
}

TEST_CASE("every container operation goes to the holder on its socket, never to the command line") {
  Birch birch;
  FakeHolder holder(birch.room.root.at("/run/berth/holder.sock"));
  holder.start();
  birch.release({forbidden_cli, host::path::make_holder_path}, "1.1.0");
  birch.site->types = types;
  const auto report = birch.carry_out(birch.push("apply", {app("web2")}, {{"seat", seat_of_birch()}}));
  CHECK(report["path"] == "holder");
  CHECK(report["result"] == "converged");
  CHECK(report["seat"]["answering"] == true);
  CHECK(report["seat"]["socket"] == "/run/docker.sock");
  CHECK(std::ranges::count(holder.asked(), "create web2") == 1);
  CHECK(holder.containers().size() == 1);
  CHECK(holder.containers()[0]["assignment"] == "web");

  holder.remove_by_hand("web2");
  must(birch.host().applier.again());
  CHECK(holder.containers().size() == 1);
  CHECK(std::ranges::count(holder.asked(), "create web2") == 2);
}

TEST_CASE("with the holder absent nothing is created and the report names the seat and the cause") {
  Birch birch;
  birch.room.units.add("berth-holder.service", "failed");
  birch.room.units.unit("berth-holder.service").result = "exit-code";
  birch.room.units.unit("berth-holder.service").restarts = 7;
  birch.release({forbidden_cli, host::path::make_holder_path}, "1.1.0");
  birch.site->types = types;
  const auto report = birch.carry_out(birch.push("apply", {app("web2")}, {{"seat", seat_of_birch()}}));
  CHECK(report["path"] == "none");
  CHECK(report["result"] == "failed");
  CHECK(report["seat"]["name"] == "node-container-runtime");
  CHECK(report["seat"]["answering"] == false);
  const auto cause = report["seat"]["cause"].get<std::string>();
  for (const auto* part : {"no such socket", "failed", "exit-code", "restarts 7"}) {
    CAPTURE(part, cause);
    CHECK(cause.find(part) != std::string::npos);
  }
  REQUIRE(report["resources"].size() == 1);
  CHECK(report["resources"][0]["action"] == "failed");
  CHECK(report["resources"][0]["detail"].get<std::string>().find("node-container-runtime") !=
        std::string::npos);

  // The holder comes back, and the next apply makes what is declared.
  FakeHolder holder(birch.room.root.at("/run/berth/holder.sock"));
  holder.start();
  must(birch.host().applier.again());
  CHECK(holder.containers().size() == 1);
  CHECK(birch.state_of("p1") == "applied");
}
