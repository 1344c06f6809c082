#include "holder/events/normalise.h"
#include "catch.h"
#include "holder/events/asked_ends.h"
#include "holder/events/compare.h"
#include "holder/events/damper.h"
#include "tests/holder/events/fake_engine.h"
#include "tests/support/fakes.h"

// Sequences as the engines' recordings have them, and what readers are told.
namespace berth::test {
namespace {

using namespace holder::events;
using holder::engine::Kind;

/// "died(137 KILL)" a happening.
std::string text_of(const std::vector<Happening>& told) {
  std::string text;
  for (const auto& h : told) {
    text += text.empty() ? "" : " ";
    text += h.inferred ? "~" : "";
    text += h.kind;
    std::string more;
    if (h.exit_code) more += std::to_string(*h.exit_code);
    if (!h.signal.empty()) more += " " + h.signal;
    if (h.oom) more += " oom";
    if (!h.health.empty()) more += h.health;
    if (!more.empty()) text += "(" + more + ")";
  }
  return text;
}

struct Ear {
  Kind kind = Kind::docker;
  std::optional<int> inspected = {};
  World world = {};
  int ms = 0;

  std::string hears(std::initializer_list<std::pair<const char*, std::map<std::string, std::string>>> said) {
    const Normaliser normaliser{kind, [this](const std::string&, Time) { return inspected; }};
    std::vector<Happening> told;
    for (const auto& [action, attributes] : said) {
      for (auto& h : normaliser.take(raw(ms += 10, action, "a", attributes), world))
        told.push_back(std::move(h));
    }
    return text_of(told);
  }
};

}  // namespace

TEST_CASE("Docker: a stop is one end and one stopped, a restart the same and a start") {
  Ear ear;
  CHECK(ear.hears({{"create", {}},
                   {"start", {}},
                   {"kill", {{"signal", "15"}}},
                   {"kill", {{"signal", "9"}}},
                   {"die", {{"exitCode", "137"}}},
                   {"stop", {}}}) == "created started died(137 KILL) stopped");
  CHECK(ear.hears({{"start", {}},
                   {"kill", {{"signal", "15"}}},
                   {"die", {{"exitCode", "0"}}},
                   {"stop", {}},
                   {"start", {}},
                   {"restart", {}}}) == "started died(0 TERM) stopped started");
  CHECK(ear.hears({{"kill", {{"signal", "9"}}}, {"die", {{"exitCode", "137"}}}, {"destroy", {}}}) ==
        "died(137 KILL) stopped removed");
  CHECK(ear.world.empty());
}

TEST_CASE("Docker: an end by itself is no stop, also after a signal that was only a message") {
  Ear ear;
  CHECK(ear.hears({{"create", {}},
                   {"start", {}},
                   {"kill", {{"signal", "10"}}},
                   {"die", {{"exitCode", "3"}}},
                   {"destroy", {}}}) == "created started died(3) removed");
  CHECK(ear.hears({{"create", {}}, {"start", {}}, {"oom", {}}, {"die", {{"exitCode", "137"}}}}) ==
        "created started died(137 oom)");
}

TEST_CASE("Docker: a stop with a signal of the container's own is known by the engine's word after the end") {
  Ear ear;
  CHECK(ear.hears({{"create", {}},
                   {"start", {}},
                   {"kill", {{"signal", "28"}}},
                   {"die", {{"exitCode", "0"}}},
                   {"stop", {}}}) == "created started died(0) stopped");
}

TEST_CASE("Docker: a crash loop is an end and a start each time") {
  Ear ear;
  CHECK(ear.hears({{"create", {}},
                   {"start", {}},
                   {"die", {{"exitCode", "1"}}},
                   {"start", {}},
                   {"die", {{"exitCode", "1"}}}}) == "created started died(1) started died(1)");
}

TEST_CASE("EV06 a label called exitCode is never taken for one: the container is asked, or nothing is said") {
  const std::map<std::string, std::string> label = {{"exitCode", "99"}, {"signal", "9"}};
  Ear asked{Kind::docker, 137};
  CHECK(asked.hears({{"create", label}, {"start", label}, {"die", label}}) == "created started died(137)");
  Ear gone{Kind::docker, std::nullopt};
  CHECK(gone.hears({{"create", label}, {"start", label}, {"die", label}}) == "created started died");
  Ear podman{Kind::podman};
  CHECK(podman.hears({{"create", label}, {"start", label}, {"die", {{"exitCode", "137"}}}}) ==
        "created started died(137)");
}

TEST_CASE("Podman: stop before the end, restart before the end, kill without a signal") {
  Ear ear{Kind::podman};
  CHECK(ear.hears({{"create", {}},
                   {"init", {}},
                   {"start", {}},
                   {"stop", {}},
                   {"die", {{"exitCode", "137"}}},
                   {"cleanup", {}}}) == "created started died(137) stopped");
  CHECK(ear.hears({{"init", {}},
                   {"start", {}},
                   {"restart", {}},
                   {"die", {{"exitCode", "0"}}},
                   {"init", {}},
                   {"start", {}}}) == "started died(0) stopped started");
  CHECK(ear.hears({{"kill", {}}, {"die", {{"exitCode", "137"}}}, {"cleanup", {}}, {"remove", {}}}) ==
        "died(137) stopped removed");
}

TEST_CASE("Podman: an end that the holder itself asked for is one, though the engine does not say so") {
  const auto now = at_ms(5);
  HandClock clock;
  clock.set(to_rfc3339(now));
  ScriptedSeam seam;
  AskedEnds asked{seam, clock};
  REQUIRE(asked.before("engine.stop", "a").ok());
  CHECK(seam.count("engine.stop") == 1);
  const Normaliser normaliser{
      Kind::podman, [](const std::string&, Time) { return std::optional<int>{}; },
      [&](const std::string& id, const std::string& name, Time at) { return asked.explain(id, name, at); }};
  World world;
  std::vector<Happening> told;
  int ms = 0;
  for (const auto* action : {"create", "start", "die", "start", "die"})
    for (auto& h : normaliser.take(raw(ms += 10, action, "a"), world)) told.push_back(std::move(h));
  CHECK(text_of(told) == "created started died stopped started died");  // one asking, one end
}

TEST_CASE("an end that the last process of this holder had begun to ask for is one that was asked for") {
  const std::string id(64, 'b');
  HandClock clock;
  ScriptedSeam seam;
  AskedEnds asked{seam, clock};
  const auto began = clock.now();
  const auto soon = began + std::chrono::seconds{3};
  for (const std::string& reference : {id, id.substr(0, 12), std::string{"db"}}) {
    CAPTURE(reference);
    asked.recall(reference, began);
    CHECK_FALSE(asked.explain(std::string(64, 'c'), "web", soon));
    CHECK_FALSE(asked.explain(id, "db", began - std::chrono::seconds{1}));
    CHECK_FALSE(asked.explain(id, "db", began + std::chrono::seconds{31}));
    CHECK(asked.explain(id, "db", soon));
    CHECK_FALSE(asked.explain(id, "db", soon));  // one asking, one end
  }
  asked.recall("bb", began);  // a name, and by chance the start of an id
  CHECK_FALSE(asked.explain(id, "db", soon));
}

TEST_CASE("Podman: the restart between two runs of a crash loop asks for nothing") {
  Ear ear{Kind::podman};
  CHECK(ear.hears({{"create", {}},
                   {"start", {}},
                   {"die", {{"exitCode", "1"}}},
                   {"restart", {}},
                   {"init", {}},
                   {"start", {}},
                   {"die", {{"exitCode", "1"}}}}) == "created started died(1) started died(1)");
}

TEST_CASE("EV08 health is said as it is, and what is no kind of the contract is not said") {
  Ear ear;
  CHECK(ear.hears({{"create", {}},
                   {"start", {}},
                   {"health_status: healthy", {}},
                   {"health_status: unhealthy", {}},
                   {"health_status", {}}}) ==
        "created started health(healthy) health(unhealthy) health(unknown)");
  CHECK(ear.hears({{"pause", {}},
                   {"unpause", {}},
                   {"rename", {{"name", "other"}}},
                   {"attach", {}},
                   {"top", {}},
                   {"commit", {}},
                   {"resize", {}}})
            .empty());
  CHECK(ear.world.at("a").name == "other");
  CHECK(ear.world.at("a").runs());
}

TEST_CASE("an assignment is the label's, and a body carries no attribute besides") {
  Ear ear;
  ear.hears({{"create", {{"mesh-host.id", "web"}, {"password", "hunter2"}}}});
  const auto body = event_body(about(ear.world.at("a"), "created", at_ms(1)), "m:s:1", "m").dump();
  CHECK(
      body ==
      R"({"assignment":"web","at":"2026-01-02T03:04:05.001000000Z","container":"a","id":"m:s:1","image":"image:1","inferred":false,"kind":"created","machine":"m","mesh_held":true,"name":"name-a"})");
}

TEST_CASE("a monstrous label does not make a monstrous event") {
  Ear ear;
  ear.hears({{"create", {{"mesh-host.id", std::string(2'000'000, 'x')}}}});
  CHECK(event_body(about(ear.world.at("a"), "created", at_ms(1)), "m:s:1", "m").dump().size() < 4096);
}

TEST_CASE("a comparison tells what must have happened, with the engine's own times") {
  World world;
  CHECK(
      text_of(compare(
          world, {summary("run", "running", 5), summary("new", "created"), summary("end", "exited", 3, 4, 7)},
          at_ms(100))) == "~created ~started ~created ~created ~died(7)");
}

TEST_CASE("a comparison of each state with each") {
  const auto told = [](const Summary& before, const Summary& after) {
    World world;
    compare(world, {before}, at_ms(100));
    return text_of(compare(world, {after}, at_ms(200)));
  };
  CHECK(told(summary("a", "created"), summary("a", "created")).empty());
  CHECK(told(summary("a", "created"), summary("a", "running", 5)) == "~started");
  CHECK(told(summary("a", "created"), summary("a", "exited", 5, 6, 3)) == "~started ~died(3)");
  CHECK(told(summary("a", "running", 5), summary("a", "running", 5)).empty());
  CHECK(told(summary("a", "running", 5), summary("a", "paused", 5)).empty());
  CHECK(told(summary("a", "running", 5), summary("a", "exited", 5, 9, 1)) == "~died(1)");
  CHECK(told(summary("a", "running", 5), summary("a", "running", 9, 8)) == "~died ~started");
  CHECK(told(summary("a", "running", 5), summary("a", "exited", 9, 10, 2)) == "~died ~started ~died(2)");
  CHECK(told(summary("a", "exited", 5, 6, 1), summary("a", "exited", 5, 6, 1)).empty());
  CHECK(told(summary("a", "exited", 5, 6, 1), summary("a", "running", 9)) == "~started");
  CHECK(told(summary("a", "exited", 5, 6, 1), summary("a", "exited", 9, 10, 4)) == "~started ~died(4)");
  CHECK(told(summary("a", "running", 5), summary("a", "restarting", 5, 9, 1)) == "~died(1)");
  CHECK(told(summary("a", "running", 5), summary("b", "created")) == "~created ~died ~removed");
  CHECK(told(summary("a", "exited", 5, 6, 1), summary("b", "created")) == "~created ~removed");
}

TEST_CASE("the removal of one that nobody has told of says that it was there") {
  Ear ear;
  CHECK(ear.hears({{"destroy", {}}}) == "~created removed");
  CHECK(ear.world.empty());
}

TEST_CASE("the raw event that a comparison was ahead of is not told again") {
  Ear ear;
  compare(ear.world, {summary("a", "running", 5)}, at_ms(6));
  CHECK(ear.hears({{"create", {}}, {"start", {}}, {"die", {{"exitCode", "1"}}}}) == "died(1)");
  compare(ear.world, {summary("a", "exited", 5, 9, 1)}, at_ms(100));
  Ear ended;
  compare(ended.world, {summary("a", "running", 5)}, at_ms(6));
  compare(ended.world, {summary("a", "exited", 5, 9, 1)}, at_ms(7));
  CHECK(ended.hears(
            {{"die", {{"exitCode", "1"}}}, {"stop", {}}, {"start", {}}, {"die", {{"exitCode", "2"}}}}) ==
        "stopped started died(2)");
}

TEST_CASE("starts and ends are told by turns, whatever was missed or comes twice") {
  Ear ear;
  CHECK(ear.hears({{"create", {}}, {"start", {}}, {"start", {}}}) ==
        "created started");  // one start, told twice
  ear.ms += 10'000;
  CHECK(ear.hears({{"start", {}}, {"die", {}}, {"die", {}}}) == "~died started died");
  CHECK(ear.hears({{"start", {}}, {"destroy", {}}}) == "started ~died removed");
}

TEST_CASE("what happened before the engine was asked is in its answer, but for an asked end and health") {
  Ear ear;
  compare(ear.world, {summary("a", "running", 50)}, at_ms(100));
  ear.world.at("a").compared_at = at_ms(95);
  CHECK(ear.hears({{"die", {}}, {"stop", {}}, {"start", {}}, {"health_status: healthy", {}}}) ==
        "health(healthy)");
  ear.ms = 100;
  CHECK(ear.hears({{"die", {{"exitCode", "1"}}}}) == "died(1)");
  ear.world.at("a").compared_at = at_ms(1000);
  CHECK(ear.hears({{"stop", {}}, {"start", {}}}) == "stopped");
}

TEST_CASE("a loop is held back and counted, and nobody else is") {
  Damper damper;
  int out = 0;
  for (int i = 0; i < 200; ++i) out += damper.admits("loop", at_ms(i * 30)) ? 1 : 0;
  CHECK(out >= Damper::kBurst);
  CHECK(out <= Damper::kBurst + 6);
  CHECK(damper.admits("quiet", at_ms(6000)));
  CHECK(damper.due(at_ms(6000)).empty());
  const auto due = damper.due(at_ms(60'000));
  REQUIRE(due.size() == 1);
  CHECK(due[0].id == "loop");
  CHECK(due[0].count == 200 - out);
  CHECK(damper.due(at_ms(61'000)).empty());
  CHECK(damper.admits("loop", at_ms(62'000)));
}

}  // namespace berth::test
