#include <thread>

#include "base/process.h"
#include "tests/cli/fleet_world.h"

using namespace berth;
using namespace berth::test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

/// A fleet whose machines publish to the real streams.
struct Telling : FleetDesk {
  Telling() {
    seat_on({"alder"});
    REQUIRE(bus().ensure_stream({.name = "BERTH_MESH_EVENTS", .subjects = {"mesh.*.node-container-runtime.event.*"}}));
    REQUIRE(bus().ensure_stream({.name = "BERTH_MESH_REPORTS", .subjects = {"mesh.*.host.report"}}));
  }
  void tell(const std::string& subject, const std::string& id, const std::string& text) {
    const auto told = bus().publish_durable(subject, id, text);
    if (!told) FAIL(told.error().detail);
  }
  void event(int seq, const std::string& kind, const std::string& at, const std::string& machine = "alder") {
    const auto id = machine + ":01234567:" + std::to_string(seq);
    const Json body = {{"id", id}, {"machine", machine}, {"kind", kind}, {"at", at}, {"container", "c1"}, {"name", "web"},
                       {"image", "i"}, {"mesh_held", true}, {"assignment", "web"}, {"inferred", false}};
    tell("mesh." + machine + ".node-container-runtime.event." + kind, id, body.dump());
  }
};

std::string kinds(const Json& rows) {
  std::string text;
  for (const auto& row : rows) text += (text.empty() ? "" : " ") + row["kind"].get<std::string>();
  return text;
}

}  // namespace

TEST_CASE("events takes in the stream, once, and goes on from there", "[cli][nats]") {
  Telling w;
  w.event(1, "created", "2026-01-01T00:00:01Z");
  w.event(2, "started", "2026-01-01T00:00:02Z");
  CHECK(kinds(w.fleet_json({"events"})) == "created started");
  CHECK(kinds(w.fleet_json({"events"})) == "created started");
  w.event(3, "died", "2026-01-01T00:00:03Z");
  w.event(3, "died", "2026-01-01T00:00:03Z", "birch");
  CHECK(kinds(w.fleet_json({"events", "--machine", "alder"})) == "created started died");
  CHECK(kinds(w.fleet_json({"events", "--since", "2026-01-01T00:00:02Z"})) == "started died died");
  w.broker.stop();
  CHECK(kinds(w.json({"events"})) == "created started died died");  // what is known needs no bus
  CHECK(w.json({"audit", "held-containers"}).size() == 2);
}

TEST_CASE("a stream that was made anew is read from its beginning, and known ids are dropped", "[cli][nats]") {
  Telling w;
  for (int i = 1; i <= 5; ++i) w.event(i, "health", "2026-01-01T00:00:0" + std::to_string(i) + "Z");
  CHECK(w.fleet_json({"events"}).size() == 5);
  w.sql("UPDATE setting SET value = '500' WHERE key = 'intake.BERTH_MESH_EVENTS'");  // read when the stream was longer
  w.event(6, "died", "2026-01-01T00:00:06Z");
  CHECK(w.fleet_json({"events"}).size() == 6);
}

TEST_CASE("what a machine says in another's name, and what makes no sense, is passed over and told", "[cli][nats]") {
  Telling w;
  w.tell("mesh.birch.node-container-runtime.event.died", "x", Json{{"id", "alder:01234567:1"}, {"machine", "alder"}, {"kind", "died"}, {"at", "2026-01-01T00:00:01Z"}}.dump());
  w.tell("mesh.birch.node-container-runtime.event.gap", "y", "not json");
  w.event(2, "started", "2026-01-01T00:00:02Z");
  const auto said = w.fleet({"--output", "json", "events"});
  CHECK(said.status == 0);
  CHECK(kinds(Json::parse(said.out)) == "started");
  CHECK(std::count(said.err.begin(), said.err.end(), '\n') == 2);
  CHECK_THAT(said.err, Contains("passed over") && Contains("not_granted"));
  CHECK(w.fleet({"events"}).err.empty());  // once
}

TEST_CASE("reports come in with the events, and machines shows the newest", "[cli][nats]") {
  Telling w;
  const Json report = {{"machine", "alder"}, {"store", "01234567"}, {"seq", 1}, {"push_id", nullptr}, {"at", "2026-01-01T00:00:01Z"},
                       {"result", "unchanged"}, {"path", "holder"}, {"seat", Json::object()}, {"resources", Json::array()},
                       {"host_version", "1.1.0"}, {"cli_path", "present"}, {"duration_ms", 4}};
  w.tell("mesh.alder.host.report", "alder:01234567:1", report.dump());
  CHECK(w.fleet({"events"}).status == 0);
  CHECK(w.json({"machines"})[0]["path"] == "holder");
  CHECK(w.json({"machines"})[0]["host_version"] == "1.1.0");
}

TEST_CASE("events -f shows what comes until it is interrupted, and then ends well", "[cli][nats]") {
  Telling w;
  w.event(1, "created", "2026-01-01T00:00:01Z");
  Result<Finished> ended = Finished{};
  std::jthread program{[&] {
    ended = run_process({"timeout", "--signal=INT", "4", BERTH_PROGRAM, "--store", w.file.native(), "--fleet", w.fleet_file.native(), "events", "-f"}, 30s, no_faults());
  }};
  std::this_thread::sleep_for(1500ms);
  w.event(2, "died", "2026-01-01T00:00:02Z");
  program.join();
  REQUIRE(ended);
  CHECK_THAT(ended->out, Contains("created  web") && Contains("died  web"));
  CHECK(std::count(ended->out.begin(), ended->out.end(), '\n') == 2);
  CHECK(ended->exit_status == 124);  // timeout's word for "it was I who ended it"; not 137, not a crash
}

TEST_CASE("--since takes a span or a time and nothing else", "[cli]") {
  Desk w;
  w.sql("INSERT INTO runtime_event VALUES ('alder:x:1', 'alder', 1, 'died', '2026-01-02T03:00:00.000000000Z', 'c', '{}')");
  CHECK(w.json({"events", "--since", "10m"}).size() == 1);  // it is 03:04:05
  CHECK(w.json({"events", "--since", "4m"}).empty());
  CHECK(w.json({"events", "--since", "1d"}).size() == 1);
  for (const char* wrong : {"yesterday", "-5m", "5", "m", "5w", "99999999999999999999s"}) {
    CAPTURE(wrong);
    CHECK(w.berth({"events", std::string{"--since="} + wrong}).status == 2);
  }
}
