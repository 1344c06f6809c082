#include "tests/cli/fleet_world.h"

using namespace berth;
using namespace berth::test;
using Catch::Matchers::Contains;

namespace {

/// A host of that machine-id whose holder answers, or says why it does not.
std::function<Json(const std::string&)> healthy(const std::string& machine_id, const std::string& cause = "") {
  return [=](const std::string& what) -> Json {
    if (what == "status") return {{"machine_id", machine_id}, {"host_version", "1.2.0"}, {"cli_path", "absent"}};
    return {{"answering", cause.empty()}, {"cause", cause}, {"seat", nullptr}};
  };
}

std::string id_of(const FleetDesk& w, const std::string& machine) { return w.document["machines"][machine]["machine_id"]; }

std::string state(const Json& rows, const std::string& check, const std::string& machine) {
  for (const auto& row : rows) {
    if (row["check"] == check && (machine.empty() || row["machine"] == machine)) return row["state"];
  }
  return "no such row";
}

}  // namespace

TEST_CASE("the doctor finds nothing wrong with a fleet that is well", "[cli][nats]") {
  FleetDesk w;
  w.seat_on({});
  for (const std::string machine : {"alder", "birch", "cedar"}) w.host(machine, healthy(id_of(w, machine)));
  for (const auto& row : w.fleet_json({"doctor"})) {
    INFO(row.dump());
    CHECK(row["state"] == "good");
    CHECK(row["advice"].is_null());
  }
}

TEST_CASE("the doctor names a silent machine, a replaced one and a holder that is down, each with what to do", "[cli][nats]") {
  FleetDesk w;
  w.seat_on({});
  w.host("alder", healthy("ffffffffffffffffffffffffffffffff"));
  w.host("birch", healthy(id_of(w, "birch"), "connect: no such file"));
  const auto rows = w.fleet_json({"doctor"}, 1);  // nobody answers for cedar
  CHECK(state(rows, "store", "") == "good");
  CHECK(state(rows, "bus", "") == "good");
  CHECK(state(rows, "host", "alder") == "wrong");
  CHECK(state(rows, "host", "birch") == "good");
  CHECK(state(rows, "seat", "birch") == "wrong");
  CHECK(state(rows, "host", "cedar") == "unreachable");
  const auto told = w.fleet({"--output", "json", "doctor"}).out;
  CHECK_THAT(told, Contains("ffffffffffffffffffffffffffffffff") && Contains("connect: no such file") && Contains("set aside"));
}

TEST_CASE("the doctor goes on after a broken store and a broker that is not there", "[cli][nats]") {
  FleetDesk w;
  w.document["bus"]["url"] = "nats://127.0.0.1:1";
  w.write();
  const auto rows = w.fleet_json({"doctor"}, 1);
  CHECK(state(rows, "store", "") == "wrong");
  CHECK(state(rows, "fleet document", "") == "good");
  CHECK(state(rows, "bus", "") == "unreachable");
  w.document.erase("machines");
  w.write();
  CHECK(state(w.fleet_json({"doctor"}, 1), "fleet document", "") == "wrong");
}
