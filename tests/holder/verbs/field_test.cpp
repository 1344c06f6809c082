// What happened to others who asked an engine what is wrong, or had it cleaned: by verbs, on real engines where these can
// be brought to it.
#include <unistd.h>

#include <fstream>

#include "store/store.h"
#include "tests/holder/engine/engine_world.h"
#include "tests/holder/engine/scripted_engine.h"
#include "tests/holder/verbs/bench.h"

namespace berth::test {
namespace {

using Catch::Matchers::Contains;
using holder::engine::Inspected;

Json answer_of(Result<Json> answer) {
  if (!answer) FAIL(to_text(answer.error()));
  return std::move(answer).value();
}

/// What `problems` says of one, as text; empty for what is well.
std::string problems_of(Bench& bench, const std::string& id) {
  const auto answer = answer_of(bench.host("problems"));
  for (const auto& row : answer["containers"]) {
    if (row["id"] == id) return row["problems"].dump();
  }
  return "";
}

constexpr std::string_view kTell = "INSERT INTO runtime_event VALUES ('alder:s:' || ?1, 'alder', ?1, ?2, ?3, ?4, '{}')";
constexpr store::Query<void(std::int64_t, std::string_view, std::string_view, std::string_view)> kTold{kTell};

/// The holder's own record of events, as its events room writes it.
struct ToldEvents {
  explicit ToldEvents(Bench& on) : bench(on) {}
  void tell(const std::string& kind, const std::string& container, Time at) {
    auto store = must(store::Store::open(bench.folder / "holder.db", store::Role::holder, bench.clock, no_faults()));
    must(store.transaction([&]() -> Status {
      TRY(store.run(kTold, ++seq, kind, to_rfc3339(at), container));
      return {};
    }));
  }
  Bench& bench;
  std::int64_t seq = 0;
};

}  // namespace

TEST_CASE("EL12 a container that was killed under a memory limit is never said to be killed for something else",
          "[verbs][docker][podman]") {
  EVERY_ENGINE(world);
  Bench bench{world.engine()};
  auto spec = world.shell("eats", "exec busybox dd if=/dev/zero of=/dev/null bs=200M count=1");
  spec.mem_limit = std::int64_t{16} << 20;
  const auto id = world.run(spec);
  REQUIRE(world.becomes(id, "exited"));
  REQUIRE(must(world.engine().inspect(id)).summary.exit_code == 137);
  // Some of the engines say that it was, some do not.
  CHECK_THAT(problems_of(bench, id), Contains("for memory"));
  auto killed = world.shell("killed", "sleep 300");
  const auto other = world.run(killed);
  must(world.engine().kill(other, "KILL"));
  REQUIRE(world.becomes(other, "exited"));
  CHECK(problems_of(bench, other) == R"(["failed: exit code 137"])");  // it may have what it likes
}

TEST_CASE("EL14 a container that runs by its engine's word alone is a problem, one whose process is there is none",
          "[verbs]") {
  MemoryEngine engine;
  const auto runs = [&](const char* name, std::int64_t pid) {
    const auto id = engine.put(name, {}, "running");
    engine.change(name, [&](Inspected& c) { c.pid = pid; });
    return id;
  };
  constexpr std::int64_t kNobody = std::int64_t{1} << 30;  // beyond what a kernel counts to
  const auto lost = runs("lost", kNobody);
  Bench bench{engine};
  // No process of this engine is seen: that one is not says nothing.
  CHECK(problems_of(bench, lost) == "");
  const auto well = runs("well", ::getpid());
  CHECK(problems_of(bench, well) == "");
  CHECK(problems_of(bench, lost) == R"(["the engine says it runs, and its process 1073741824 is gone"])");
  engine.change("lost", [](Inspected& c) { c.summary.state = "exited"; });
  CHECK(problems_of(bench, lost) == "");
}

TEST_CASE("EL16 a restart loop is found by the starts that were told, when the engine's own count began anew",
          "[verbs]") {
  MemoryEngine engine;
  const auto loop = engine.put("loop", {}, "running"), calm = engine.put("calm", {}, "running"),
             old = engine.put("old", {}, "running");
  for (const auto* name : {"loop", "calm", "old"})
    engine.change(name, [](Inspected& c) { c.summary.restarts = 0; });  // as after a restart of the engine
  Bench bench{engine};
  ToldEvents events{bench};
  const auto now = bench.clock.now();
  for (int i = 0; i < 6; ++i) {
    events.tell("started", loop, now - std::chrono::minutes{i});
    events.tell("died", loop, now - std::chrono::minutes{i});
    events.tell("died", calm, now - std::chrono::minutes{i});
    events.tell("started", old, now - std::chrono::hours{2 + i});
  }
  for (int i = 0; i < 5; ++i) events.tell("started", calm, now - std::chrono::minutes{i});
  CHECK(problems_of(bench, loop) == R"(["started 6 times within the last hour"])");
  CHECK(problems_of(bench, calm) == "");
  CHECK(problems_of(bench, old) == "");
}

TEST_CASE("EL19 what somebody else on the same engine looks after is no prune's, dry or not", "[prune]") {
  MemoryEngine engine;
  const std::map<std::string, std::string> kOthers = {{"pod", "io.kubernetes.pod.uid"},
                                                      {"alloc", "com.hashicorp.nomad.alloc_id"},
                                                      {"task", "com.docker.swarm.task.id"},
                                                      {"box", "boxes.box"},
                                                      {"held", "mesh-host.id"}};
  for (const auto& [name, label] : kOthers) engine.put(name, {{label, "x"}, {"a", "b"}, {"z", "y"}}, "exited");
  const auto stray = engine.put("stray", {{"com.example.team", "blue"}, {"ioxkubernetes", "no"}}, "exited");
  Bench bench{engine};
  const auto plan = answer_of(bench.host("prune", {{"containers", true}}))["plan"];
  CHECK(plan["containers"] == Json({stray}));
  CHECK(engine.acts().empty());
  // A plan that names them reaches them no more than one that does not.
  auto wider = plan;
  const auto all = answer_of(bench.host("list"));
  for (const auto& row : all["containers"]) wider["containers"].push_back(row["id"]);
  const auto run = answer_of(bench.host("prune", {{"dry_run", false}, {"plan", wider}}));
  CHECK(run["removed"]["containers"] == Json({stray}));
  CHECK(answer_of(bench.host("list"))["containers"].size() == kOthers.size());
}

TEST_CASE("ST08 prune takes no volume: not a named, an anonymous, an unused or a stopped container's",
          "[prune][docker][podman]") {
  EVERY_ENGINE(world);
  Bench bench{world.engine()};
  const auto unused = world.name("unused"), mounted = world.name("mounted");
  for (const auto& name : {unused, mounted}) {
    must(world.engine().ensure_volume(name, {}));
    world.also_remove("/volumes/" + name);
  }
  auto spec = world.shell("stopped", "true");
  spec.volumes.push_back({.type = "volume", .source = mounted, .target = "/data", .read_only = false, .tmpfs_size = {}});
  const auto id = world.run(spec);
  REQUIRE(world.becomes(id, "exited"));
  const auto anonymous = Json::parse(world.raw("POST", "/volumes/create", Json::object()).body).at("Name").get<std::string>();
  world.also_remove("/volumes/" + anonymous);

  const auto dry = answer_of(bench.host("prune", {{"containers", true}}));
  CHECK(dry["dry_run"] == true);
  CHECK_THAT(dry["rule"].get<std::string>(), Contains("Never a volume") && Contains("every engine's version"));
  for (const auto& name : {unused, mounted, anonymous}) CHECK(dry["plan"].dump().find(name) == std::string::npos);
  const auto run = answer_of(bench.host("prune", {{"dry_run", false}, {"plan", {{"containers", {id}}}}}));
  CHECK(run["removed"]["containers"] == Json({id}));
  for (const auto& name : {unused, mounted, anonymous}) {
    CAPTURE(name);
    CHECK(world.engine().volume(name).ok());
  }
}

TEST_CASE("ST08 no request of a prune is one of the engine's own prunes of images, containers or volumes", "[prune]") {
  const auto image = "sha256:" + std::string(64, 'a');
  const auto old = std::string(64, 'c');
  OpenedScript scripted{"Engine", [&](const std::string& method, const std::string& path) -> Said {
                          if (path == "/_ping") return {200, "OK"};
                          if (method == "DELETE") return {204};
                          if (path.starts_with("/images/json"))
                            return {200, R"([{"Id":")" + image + R"(","RepoTags":null,"ParentId":"","Created":1,"Size":7}])"};
                          if (path.starts_with("/containers/json"))
                            return {200, R"([{"Id":")" + old + R"(","Names":["/old"],"State":"exited","ImageID":"sha256:b"}])"};
                          if (path.starts_with("/containers/" + old + "/json")) return {200, inspected_as(old, "exited")};
                          if (path.starts_with("/system/df"))
                            return {200, R"({"Images":[],"Containers":[],"Volumes":[],"BuildCache":[]})"};
                          return {404, R"({"message":"no"})"};
                        }};
  Bench bench{*scripted.engine};
  const auto run = answer_of(bench.host("prune", {{"dry_run", false}, {"containers", true}}));
  CHECK(run["removed"]["containers"] == Json({old}));
  CHECK(run["removed"]["images"] == Json({image}));
  CHECK(scripted.peer.asked("DELETE") == 2);
  for (const auto& request : scripted.peer.asked()) CHECK(request.find("/prune") == std::string::npos);
}

TEST_CASE("a count that an engine's list does not give is null there, and a number where it is looked at",
          "[verbs][docker][podman]") {
  EVERY_ENGINE(world);
  Bench bench{world.engine()};
  auto spec = world.shell("again", "exit 1");
  spec.restart = "on-failure:2";
  const auto id = world.run(spec);
  const auto restarts = [&] { return answer_of(bench.host("inspect", {{"container", id}}))["restarts"]; };
  for (int i = 0; i < 200 && restarts() != 2; ++i) ::usleep(50'000);
  CHECK(restarts() == 2);
  const auto rows = answer_of(bench.host("list", {{"name", must(world.engine().inspect(id)).summary.name}}));
  REQUIRE(rows["containers"].size() == 1);
  CHECK(rows["containers"][0]["restarts"] == (world.podman() ? Json(2) : Json()));
}

}  // namespace berth::test
