// create with `replaces`: one container in the place of another, in one call.
#include <algorithm>

#include "holder/verbs/replace.h"
#include "tests/holder/engine/engine_world.h"
#include "tests/holder/verbs/bench.h"

using namespace berth;
using namespace berth::test;
using holder::engine::Engine;

namespace {

struct DiedThere {};
const Engine::Image kSmall{.id = "sha256:small", .labels = {}, .command = {"sh"}, .entrypoint = {}, .volumes = {}};

/// "web running", one container a line, by name.
std::string told(Engine& engine) {
  std::vector<std::string> lines;
  for (const auto& one : must(engine.list())) lines.push_back(one.name + " " + one.state + "\n");
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const auto& line : lines) text += line;
  return text;
}

struct Replacing {
  Replacing() : bench{engine} {
    engine.put_image("mini:1", kSmall);
    old = must(bench.host("create", spec()))["id"].get<std::string>();
  }
  Json spec(const Json& more = Json::object()) const {
    Json document = {{"name", "web"}, {"image", "mini:1"}, {"assignment", "shop"}};
    document.update(more);
    return document;
  }
  Json next(const Json& more = Json::object()) const {
    auto document = spec({{"replaces", old}, {"environment", {{"A", "1"}}}});
    document.update(more);
    return document;
  }
  MemoryEngine engine;
  Bench bench;
  std::string old;
};

}  // namespace

TEST_CASE("EL20 a replacement is made under another name, and the old container goes last", "[create][replace]") {
  Replacing at;
  const auto before = at.engine.acts().size();
  const auto made = must(at.bench.host("create", at.next()));
  CHECK(made["name"] == "web");
  CHECK(made["assignment"] == "shop");
  CHECK(made["id"] != at.old);
  CHECK(told(at.engine) == "web running\n");
  auto acts = at.engine.acts();
  acts.erase(acts.begin(), acts.begin() + static_cast<std::ptrdiff_t>(before));
  const auto id12 = at.old.substr(0, 12);
  CHECK(acts == std::vector<std::string>{"create web.next-" + id12, "stop(10) web", "rename web to web.was-" + id12,
                                         "rename web.next-" + id12 + " to web", "start web", "remove web.was-" + id12});
}

TEST_CASE("a replacement that cannot be started leaves the old container running under its name", "[create][replace]") {
  Replacing at;
  auto refused = fail(Errc::engine_refused, "no such command");
  at.engine.on_change = [&, first = true](const std::string& act) mutable -> Status {
    if (act != "start web" || !first) return {};
    first = false;
    return refused;
  };
  const auto answer = at.bench.host("create", at.next());
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == Errc::engine_refused);
  CHECK(answer.error().detail.find("as it was") != std::string::npos);
  CHECK(told(at.engine) == "web running\n");
  CHECK(must(at.engine.inspect("web")).summary.id == at.old);
}

TEST_CASE("a container that did not run is replaced without being started for it", "[create][replace]") {
  Replacing at;
  must(at.engine.stop(at.old, std::chrono::seconds{0}));
  must(at.bench.host("create", at.next({{"start", false}})));
  CHECK(told(at.engine) == "web created\n");
}

TEST_CASE("only a container of the same assignment is replaced, and only from the host's socket", "[create][replace]") {
  Replacing at;
  const auto stray = at.engine.put("stray", {});
  const auto other = at.engine.put("other", {{"mesh-host.id", "bank"}});
  const auto before = told(at.engine);
  CHECK(outcome(at.bench.host("create", at.next({{"replaces", stray}}))) == "conflict replaces");
  CHECK(outcome(at.bench.host("create", at.next({{"replaces", other}}))) == "conflict replaces");
  CHECK(outcome(at.bench.host("create", at.next({{"replaces", "0123456789ab"}}))) == "not_found replaces");
  CHECK(outcome(at.bench.host("create", at.next({{"name", "stray"}}))) == "conflict name");
  at.bench.grant(Json::parse(R"([{"caller": "alice", "verbs": ["create"], "class": "act"}])"));
  CHECK(outcome(at.bench.bus("create", at.next())).starts_with("refused"));
  CHECK(told(at.engine) == before);
}

TEST_CASE("EL20 a replacement that dies or fails at any act is finished or undone, and the next one succeeds",
          "[create][replace][crash]") {
  const bool dies = GENERATE(true, false);
  int cut = 1;
  for (bool sprung = true; sprung; ++cut) {
    CAPTURE(dies, cut);
    REQUIRE(cut < 20);
    Replacing at;
    sprung = false;
    int seen = 0;
    at.engine.on_change = [&](const std::string& act) -> Status {
      if (++seen != cut) return {};
      sprung = true;
      if (dies) throw DiedThere{};
      return fail(Errc::failed, act + ": made to fail");
    };
    bool succeeded = false;
    try {
      succeeded = at.bench.host("create", at.next()).ok();
    } catch (const DiedThere&) {
    }
    at.engine.on_change = nullptr;
    must(holder::verbs::end_replacements(at.engine));
    const auto now = must(at.engine.list());
    // Removing the old one is what may fail and be left to a warning; the next start ends that too.
    REQUIRE(now.size() == 1);
    CHECK(now[0].name == "web");
    CHECK(now[0].state == "running");
    if (succeeded) CHECK(now[0].id != at.old);
    auto again = at.next();
    again["replaces"] = now[0].id;
    must(at.bench.host("create", again));
    CHECK(told(at.engine) == "web running\n");
  }
  CHECK(cut > 6);
}

TEST_CASE("real engines replace a container in one call", "[docker][podman][replace]") {
  if (engine_sockets().empty()) return;
  const auto socket = GENERATE(from_range(engine_sockets()));
  CAPTURE(socket);
  EngineWorld world{socket};
  Bench bench{world.engine()};
  const auto name = world.name("replaced");
  const Json spec = {{"name", name}, {"image", EngineWorld::kImage}, {"assignment", "berth-test"}, {"network_mode", "none"},
                     {"stop_grace_period", "1s"}, {"command", {"sh", "-c", "trap 'exit 0' TERM; while :; do sleep 0.1; done"}}};
  const std::string old = must(bench.host("create", spec))["id"];
  auto next = spec;
  next["replaces"] = old;
  next["environment"] = {{"A", "1"}};
  const auto made = must(bench.host("create", next));
  CHECK(made["name"] == name);
  CHECK(world.state(made["id"]) == "running");
  CHECK(world.engine().inspect(old).error().code == Errc::not_found);
  // One that cannot start: the one that runs stays, with its name.
  auto broken = next;
  broken["replaces"] = made["id"];
  broken["command"] = {"/no/such/program"};
  const auto refused = bench.host("create", broken);
  REQUIRE_FALSE(refused);
  CAPTURE(refused.error().detail);
  CHECK(must(world.engine().inspect(name)).summary.id == made["id"].get<std::string>());
  CHECK(world.state(made["id"]) == "running");
  const auto left = must(world.engine().list());
  CHECK(std::ranges::count_if(left, [&](const auto& one) { return one.name.starts_with(name); }) == 1);
  // What it says of itself is what it was made from; of another, what differs.
  auto against = next;
  against.erase("replaces");
  CHECK(must(bench.host("inspect", {{"container", name}, {"against", against}}))["differs"] == Json::array());
  against["environment"] = {{"A", "2"}};
  CHECK(must(bench.host("inspect", {{"container", name}, {"against", against}}))["differs"] == Json{"environment"});
}
