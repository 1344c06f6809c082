#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/holder/verbs/bench.h"

using namespace berth;
using namespace berth::test;

namespace {

Json grants_of(const char* text) { return Json::parse(text); }

}  // namespace

TEST_CASE("a grant of everything reaches the reading verbs only", "[dispatch]") {
  MemoryEngine engine;
  engine.put("web", {});
  Bench bench{engine};
  const auto verb_class = GENERATE(as<std::string>{}, "read", "act");
  bench.grant({{{"caller", "console"}, {"verbs", {"*"}}, {"class", verb_class}}});
  for (const auto& row : holder::verbs::verb_table()) {
    CAPTURE(row.name, verb_class);
    const auto answer = bench.bus(std::string{row.name}, {{"container", "web"}}, "console");
    CHECK((outcome(answer) == "not_granted") == (row.verb_class == holder::policy::VerbClass::act));
  }
  CHECK(engine.acts().empty());
}

TEST_CASE("an act is granted by its name to that caller, and a tool is its verb", "[dispatch]") {
  MemoryEngine engine;
  engine.put("web", {});
  Bench bench{engine};
  bench.grant(grants_of(R"([{"caller": "alice", "verbs": ["docker_stop"], "class": "act"}, {"caller": "bob", "verbs": ["stop"], "class": "read"}])"));
  const Json web = {{"container", "web"}};
  CHECK(outcome(bench.bus("stop", web)) == "ok");
  CHECK(outcome(bench.bus("docker_stop", web)) == "ok");
  CHECK(outcome(bench.bus("start", web)) == "not_granted");
  CHECK(outcome(bench.bus("list", Json::object())) == "not_granted");
  CHECK(outcome(bench.bus("stop", web, "bob")) == "not_granted");
  CHECK(outcome(bench.bus("stop", web, "carol")) == "not_granted");
  CHECK(outcome(bench.bus("docker_create", web)) == "unknown_verb");
}

TEST_CASE("without a seat file the bus reaches nothing and the socket everything", "[dispatch]") {
  MemoryEngine engine;
  Bench bench{engine};
  CHECK(outcome(bench.bus("list")) == "not_granted");
  CHECK(outcome(bench.host("list")) == "ok");
}

TEST_CASE("every changing call and every refusal is a row, and a reading call is none", "[dispatch]") {
  MemoryEngine engine;
  engine.put("web", {{"mesh-host.id", "web"}});
  engine.put("db", {});
  Bench bench{engine};
  bench.grant(grants_of(R"([{"caller": "alice", "verbs": ["list", "stop", "remove", "create"], "class": "act"}])"));
  outcome(bench.bus("list"));
  outcome(bench.bus("stop", {{"container", "web"}}));
  outcome(bench.bus("remove", {{"container", "web"}}));
  outcome(bench.bus("remove", {{"container", "db"}, {"force", true}}));
  outcome(bench.bus("start", {{"container", "web"}}));
  outcome(bench.bus("launch", {{"container", "web"}}));
  outcome(bench.bus("create", {{"name", "x1"}, {"image", "mini:1"}, {"privileged", true}}));
  outcome(bench.bus("list", {{"owner", "nobody"}}));
  outcome(bench.host("stop", {{"container", "gone"}}));
  CHECK(bench.audit() ==
        "bus alice stop web ok\n"
        "bus alice remove web refused_held\n"
        "bus alice remove db ok\n"
        "bus alice start web not_granted\n"
        "bus alice launch web unknown_verb\n"
        "bus alice create x1 refused_root_equivalent\n"
        "bus alice list - bad_request\n"
        "socket host stop gone not_found\n");
}

TEST_CASE("an act that cannot be recorded is refused before it is done", "[dispatch]") {
  MemoryEngine engine;
  engine.put("db", {});
  Bench bench{engine};
  bench.seam.fail_at("store.commit", 1);
  const auto refused = bench.host("remove", {{"container", "db"}, {"force", true}});
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().detail, Catch::Matchers::Contains("nothing was done"));
  CHECK(engine.acts().empty());
  CHECK(outcome(bench.host("remove", {{"container", "db"}, {"force", true}})) == "ok");
}

TEST_CASE("an act whose end was not recorded is a row of unknown outcome after the next start", "[dispatch]") {
  MemoryEngine engine;
  engine.put("db", {});
  Bench bench{engine};
  bench.seam.fail_at("store.commit", 2);
  CHECK(outcome(bench.host("stop", {{"container", "db"}})) == "ok");
  CHECK(bench.audit().empty());
  bench.start();
  const auto lost = bench.recorder().recover().value();
  REQUIRE(lost.size() == 1);
  CHECK(lost[0].verb + " " + lost[0].target == "stop db");
  CHECK(bench.audit() == "socket host stop db timeout\n");
  CHECK(bench.recorder().recover().value().empty());
}

TEST_CASE("an engine that does not answer is an error of each call, and is there again when it is", "[dispatch]") {
  MemoryEngine engine;
  engine.put("web", {});
  Bench bench{engine};
  engine.down = true;
  const auto answer = bench.host("list");
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == Errc::engine_unreachable);
  CHECK(outcome(bench.host("stop", {{"container", "web"}})) == "engine_unreachable");
  CHECK(bench.dispatcher().seat_document()["engine"]["answering"] == false);
  engine.down = false;
  CHECK(outcome(bench.host("list")) == "ok");
  const int opened = bench.opened;
  CHECK(outcome(bench.host("list")) == "ok");
  CHECK(bench.opened == opened);
  engine.down = true;
  CHECK(outcome(bench.host("list")) == "engine_unreachable");
  engine.down = false;
  CHECK(outcome(bench.host("list")) == "ok");
  CHECK(bench.opened == opened + 1);
}

TEST_CASE("the seat document names the seat, the engine and what is served", "[dispatch]") {
  MemoryEngine engine;
  Bench bench{engine};
  CHECK(bench.dispatcher().seat_document()["module"].is_null());
  bench.grant(Json::array());
  const auto seat = bench.dispatcher().seat_document();
  CHECK(seat["machine"] == "alder");
  CHECK(seat["seat"] == "node-container-runtime");
  CHECK(seat["module"] == "docker");
  CHECK(seat["held"] == true);
  CHECK(seat["engine"]["answering"] == true);
  CHECK(seat["engine"]["socket"] == "/run/docker.sock");
  CHECK(seat["verbs"] == Json{"list", "inspect", "logs", "stats", "start", "stop", "restart", "create", "remove"});
  CHECK(seat["events"] == Json{"created", "started", "stopped", "died", "removed", "health"});
  CHECK(seat["store"].get<std::string>().size() == 8);
  for (const auto& tool : seat["tools"]) {
    const auto* row = holder::verbs::find_verb(tool.get<std::string>());
    REQUIRE(row != nullptr);
    CHECK(row->name != "create");
    CHECK(row->name != "remove");
    CHECK(row->name != "signal");
  }
}

TEST_CASE("params that are no object, or name what a verb does not take, are refused naming it", "[dispatch]") {
  MemoryEngine engine;
  engine.put("web", {});
  Bench bench{engine};
  for (const auto& row : holder::verbs::verb_table()) {
    CAPTURE(row.name);
    CHECK(outcome(bench.host(std::string{row.name}, Json::array())) == "bad_request");
    Json params = {{"surprise", 1}};
    if (row.params.starts_with("container")) params["container"] = "web";
    if (row.name == "create") params["image"] = "mini:1";
    if (row.name == "signal") params["signal"] = "HUP";
    CHECK(outcome(bench.host(std::string{row.name}, params)) == "bad_request surprise");
  }
  CHECK(engine.acts().empty());
}

TEST_CASE("many calls at once are each answered and recorded", "[dispatch]") {
  MemoryEngine engine;
  engine.put("web", {});
  Bench bench{engine};
  bench.grant(grants_of(R"([{"caller": "alice", "verbs": ["*"], "class": "read"}, {"caller": "alice", "verbs": ["stop"], "class": "act"}])"));
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        for (int n = 0; n < 10; ++n) {
          if (i == 0) bench.grant(bench.grants);
          good += bench.host("stop", {{"container", "web"}}).ok() ? 1 : 0;
          good += bench.bus("list").ok() ? 1 : 0;
        }
      });
    }
  }
  CHECK(good == 160);
  const auto audit = bench.audit();
  CHECK(std::ranges::count(audit, '\n') == 80);
}
