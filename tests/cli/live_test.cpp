#include <atomic>

#include "tests/cli/fleet_world.h"

using namespace berth;
using namespace berth::test;
using Catch::Matchers::Contains;

namespace {

Json page(std::vector<Json> containers, const Json& next = nullptr) { return {{"containers", containers}, {"next", next}}; }

std::string names(const Json& rows) {
  std::string text;
  for (const auto& row : rows) {
    text += (text.empty() ? "" : " ") + row["machine"].get<std::string>() + ":" + (row["name"].is_null() ? "-" : row["name"].get<std::string>()) + ":" + row["state"].get<std::string>();
  }
  return text;
}

}  // namespace

TEST_CASE("containers asks every machine, page by page", "[cli][nats]") {
  FleetDesk w;
  w.seat_on({"alder", "birch", "cedar"});
  w.holder("alder", [](const auto&, const Json& params) { return params.contains("after") ? page({container("db")}) : page({container("web")}, "web"); });
  w.holder("birch", [](const auto&, const Json&) { return page({}); });
  w.holder("cedar", [](const auto&, const Json&) { return page({container("app", "exited")}); });
  CHECK(names(w.fleet_json({"containers"})) == "alder:web:running alder:db:running cedar:app:exited");
  CHECK(names(w.fleet_json({"containers", "--machine", "alder"})) == "alder:web:running alder:db:running");
}

TEST_CASE("a machine that does not answer is unknown, never empty, and the exit status says so", "[cli][nats]") {
  FleetDesk w;
  w.seat_on({"alder", "birch"});
  w.holder("alder", [](const auto&, const Json&) { return page({container("web")}); });
  const auto rows = w.fleet_json({"containers"}, 4);  // nobody answers for birch, and cedar has no seat
  CHECK(names(rows) == "alder:web:running birch:-:unknown cedar:-:unknown");
  CHECK_THAT(rows[1]["why_unknown"].get<std::string>(), Contains("unreachable"));
  CHECK_THAT(rows[2]["why_unknown"].get<std::string>(), Contains("seat_unheld"));
  CHECK(rows[0]["why_unknown"].is_null());
  CHECK_THAT(w.fleet({"containers"}).out, Contains("birch") && Contains("unknown"));
}

TEST_CASE("an engine that does not answer is unknown too, and so is an answer that makes no sense", "[cli][nats]") {
  FleetDesk w;
  w.seat_on({"alder", "birch", "cedar"});
  w.holder("alder", [](const auto&, const Json&) { return fail(Errc::engine_unreachable, "/run/docker.sock: missing"); });
  w.holder("birch", [](const auto&, const Json&) { return Json{{"boxes", 1}}; });
  w.holder("cedar", [](const auto&, const Json&) { return Json::array(); });
  const auto rows = w.fleet_json({"containers"}, 4);
  CHECK(names(rows) == "alder:-:unknown birch:-:unknown cedar:-:unknown");
  CHECK_THAT(rows[0]["why_unknown"].get<std::string>(), Contains("/run/docker.sock"));
}

TEST_CASE("the filters of containers are the holder's to apply", "[cli][nats]") {
  FleetDesk w;
  w.seat_on({"alder", "birch", "cedar"});
  Json asked;
  w.holder("alder", [&](const auto&, const Json& params) { asked = params; return page({}); });
  CHECK(w.fleet({"containers", "--machine", "alder", "--held", "--state", "running"}).status == 0);
  CHECK(asked == Json{{"owner", "held"}, {"state", "running"}});
  CHECK(w.fleet({"containers", "--machine", "alder", "--stray"}).status == 0);
  CHECK(asked == Json{{"owner", "stray"}});
  CHECK(w.fleet({"containers", "--held", "--stray"}).status == 2);
  CHECK(w.fleet({"containers", "--machine", "aldre"}).status == 1);
}

TEST_CASE("call asks the issued subject as the bus user and shows the answer", "[cli][nats]") {
  FleetDesk w;
  w.seat_on({"alder"});
  std::string verb;
  Json asked;
  w.holder("alder", [&](const std::string& name, const Json& params) { verb = name; asked = params; return Json{{"container", "web"}, {"now", "exited"}}; });
  const auto answer = w.fleet_json({"call", "alder", "docker_stop", "container=0123", "timeout_s=5", "force=true", "extra:=[1,{\"a\":null}]"});
  CHECK(answer["now"] == "exited");
  CHECK(verb == "stop");
  CHECK(asked == Json::parse(R"({"container": "0123", "timeout_s": 5, "force": true, "extra": [1, {"a": null}]})"));
}

TEST_CASE("what changes something and what is refused is remembered, a reading is not", "[cli][nats]") {
  FleetDesk w;
  w.seat_on({"alder"});
  w.holder("alder", [&](const std::string& verb, const Json& params) -> Result<Json> {
    if (verb == "stop" && params["container"] == "held") return Error{.code = Errc::refused_held, .detail = "held is held", .assignment = "web"};
    return Json::object();
  });
  CHECK(w.fleet({"call", "alder", "inspect", "container=web"}).status == 0);
  CHECK(w.fleet({"call", "alder", "stop", "container=web"}).status == 0);
  const auto refused = w.fleet({"call", "alder", "stop", "container=held"});
  CHECK(refused.status == 3);
  CHECK_THAT(refused.err, Contains("refused_held: alder: held is held"));
  const auto calls = w.json({"audit", "calls"});
  REQUIRE(calls.size() == 2);
  CHECK(calls[0]["outcome"] == "ok");
  CHECK(calls[1]["outcome"] == "refused_held");
  CHECK(calls[1]["target"] == "held");
  CHECK(calls[1]["caller"] == "operator");
}

TEST_CASE("a call that cannot be made says why, with the exit status of the reason", "[cli][nats]") {
  FleetDesk w;
  w.seat_on({"alder"});
  const auto says = [&](std::vector<std::string> words, int status, const std::string& text) {
    words.insert(words.begin(), "call");
    const auto said = w.fleet(words);
    CHECK(said.status == status);
    CHECK_THAT(said.err, Contains(text));
  };
  says({"elm", "list"}, 1, "no machine \"elm\"; it knows alder, birch, cedar");
  says({"birch", "list"}, 3, "nobody holds the seat node-container-runtime on birch");
  says({"alder", "explode"}, 2, "no verb \"explode\" on alder, but ");
  says({"alder", "stop", "container"}, 2, "\"container\" is not key=value");
  says({"alder", "stop", "container=a", "container=b"}, 2, "given twice");
  says({"alder", "stop", "x:={"}, 2, "the value of x");
  says({"alder", "stop", "--json", "/nowhere.json"}, 1, "/nowhere.json");
  says({"alder", "stop", "a=b", "--json", "-"}, 2, "not both");
  says({"alder", "list"}, 4, "alder: list");  // issued, but nobody answers
}

TEST_CASE("without the bus, what needs it ends with 4 and what does not goes on", "[cli][nats]") {
  FleetDesk w;
  w.seat_on({"alder"});
  w.broker.stop();
  const auto away = w.fleet({"containers"});
  CHECK(away.status == 4);
  CHECK(away.out.empty());
  CHECK(std::count(away.err.begin(), away.err.end(), '\n') == 1);
  CHECK(w.json({"machines"}).size() == 3);
  const auto none = w.berth({"containers"});
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Contains("--fleet"));
}

TEST_CASE("logs shows both streams and makes what they say safe", "[cli][nats]") {
  FleetDesk w;
  w.seat_on({"alder"});
  w.holder("alder", [](const auto&, const Json&) {
    return Json{{"lines", {{{"at", "t1"}, {"stream", "stdout"}, {"text", "up\x1b[2J"}}, {{"at", "t2"}, {"stream", "stderr"}, {"text", "no"}}}}, {"truncated", true}};
  });
  const auto said = w.fleet({"logs", "alder", "web"});
  CHECK(said.status == 0);
  CHECK(said.out == "t1   up\\x1b[2J\nt2 ! no\n");
  CHECK_THAT(said.err, Contains("left out"));
}
