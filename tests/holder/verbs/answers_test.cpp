// What the answers hold, on an engine whose every word is set here.
#include <fstream>
#include <set>
#include <thread>

#include "tests/holder/verbs/bench.h"

using namespace berth;
using namespace berth::test;

namespace {

Json good(Result<Json> answer) {
  if (!answer) FAIL(to_text(answer.error()));
  return std::move(answer).value();
}

std::vector<std::string> names(const Json& answer) {
  std::vector<std::string> all;
  for (const auto& row : answer["containers"]) all.push_back(row["name"]);
  return all;
}

Time at(const char* text) { return parse_rfc3339(text).value(); }

const Json kReader = Json::parse(R"([{"caller": "alice", "verbs": ["*"], "class": "read"}, {"caller": "alice", "verbs": ["create"], "class": "act"}])");
const holder::engine::Engine::Image kMini{.id = "sha256:" + std::string(64, 'a'), .labels = {}, .command = {"sh"}, .entrypoint = {}, .volumes = {}};

}  // namespace

TEST_CASE("pages of a list hold every container once, whatever goes between them", "[verbs]") {
  MemoryEngine engine;
  for (const auto* name : {"e", "b", "d", "a", "c"}) engine.put(name, {});
  Bench bench{engine};
  const auto first = good(bench.host("list", {{"limit", 2}}));
  CHECK(names(first) == std::vector<std::string>{"a", "b"});
  CHECK(first["next"] == "b");
  static_cast<void>(engine.remove("b", true, false));
  const auto second = good(bench.host("list", {{"limit", 2}, {"after", first["next"]}}));
  CHECK(names(second) == std::vector<std::string>{"c", "d"});
  const auto last = good(bench.host("list", {{"limit", 2}, {"after", second["next"]}}));
  CHECK(names(last) == std::vector<std::string>{"e"});
  CHECK(last["next"].is_null());
}

TEST_CASE("a list on the bus never exceeds what a message carries", "[verbs]") {
  MemoryEngine engine;
  for (int i = 100; i < 200; ++i) engine.put("c" + std::to_string(i), {});
  Bench bench{engine};
  bench.grant(kReader);
  bench.max_reply = 8192;
  std::set<std::string> seen;
  Json params = Json::object();
  for (int page = 0; page < 100; ++page) {
    const auto answer = good(bench.bus("list", params));
    CHECK(answer.dump().size() <= bench.max_reply);
    for (const auto& name : names(answer)) CHECK(seen.insert(name).second);
    if (answer["next"].is_null()) break;
    params["after"] = answer["next"];
  }
  CHECK(seen.size() == 100);
}

TEST_CASE("an id prefix of several is refused listing them, and a name or a whole id always wins", "[verbs]") {
  MemoryEngine engine;
  engine.put("one", {}, "running", "abc" + std::string(61, '1'));
  engine.put("two", {}, "running", "abc" + std::string(61, '2'));
  engine.put("abc1", {}, "running", std::string(64, 'f'));
  Bench bench{engine};
  const auto refused = bench.host("inspect", {{"container", "abc"}});
  CHECK(outcome(refused) == "ambiguous container");
  CHECK(refused.error().candidates.size() == 2);
  CHECK_THAT(refused.error().detail, Catch::Matchers::Contains("abc111111111 (one)") && Catch::Matchers::Contains("(two)"));
  CHECK(good(bench.host("inspect", {{"container", "abc1"}}))["id"] == std::string(64, 'f'));
  CHECK(good(bench.host("inspect", {{"container", "abc2"}}))["name"] == "two");
}

TEST_CASE("log lines are in time order, the newest that fit, and say when there were more", "[verbs]") {
  MemoryEngine engine;
  engine.put("web", {{"mesh-host.id", "web"}});
  engine.put_logs({{"2026-01-01T00:00:03Z", "stdout", "third"}, {"2026-01-01T00:00:01Z", "stderr", "first"}, {"2026-01-01T00:00:02Z", "stdout", "second"}});
  Bench bench{engine};
  bench.grant(kReader);
  const auto answer = good(bench.host("logs", {{"container", "web"}}));
  CHECK(answer["lines"][0] == Json{{"at", "2026-01-01T00:00:01Z"}, {"stream", "stderr"}, {"text", "first"}});
  CHECK(answer["lines"][2]["text"] == "third");
  CHECK(answer["truncated"] == false);
  CHECK(answer["assignment"] == "web");
  CHECK(good(bench.host("logs", {{"container", "web"}, {"tail", 2}}))["truncated"] == true);
  bench.max_reply = 330;
  const auto cut = good(bench.bus("logs", {{"container", "web"}}));
  CHECK(cut["lines"].size() == 1);
  CHECK(cut["lines"][0]["text"] == "third");
  CHECK(cut["truncated"] == true);
  CHECK(outcome(bench.host("logs", {{"container", "web"}, {"tail", 2001}})) == "bad_request tail");
  CHECK(outcome(bench.host("logs", {{"container", "web"}, {"since", "yesterday"}})) == "bad_request since");
  CHECK(outcome(bench.host("logs", {{"container", "web"}, {"follow", true}})) == "bad_request follow");
}

TEST_CASE("stats are of what runs, the heaviest first, and a missing reading is null", "[verbs]") {
  MemoryEngine engine;
  engine.put("a", {});
  engine.put("b", {});
  engine.put("c", {}, "exited");
  engine.put("p", {}, "paused");
  Bench bench{engine};
  const auto rows = good(bench.host("stats"))["containers"];
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["cpu_percent"] >= rows[1]["cpu_percent"]);
  CHECK(rows[2]["name"] == "p");
  CHECK(rows[2]["cpu_percent"].is_null());
  CHECK(good(bench.host("stats", {{"container", "a"}}))["containers"].size() == 1);
}

TEST_CASE("a stop waits as long as it was told, and at most two minutes", "[verbs]") {
  MemoryEngine engine;
  engine.put("web", {});
  Bench bench{engine};
  good(bench.host("stop", {{"container", "web"}, {"timeout_s", 0}}));
  good(bench.host("restart", {{"container", "web"}, {"timeout_s", 120}}));
  good(bench.host("stop", {{"container", "web"}}));
  CHECK(engine.acts() == std::vector<std::string>{"stop(0) web", "restart(120) web", "stop(10) web"});
  CHECK(outcome(bench.host("stop", {{"container", "web"}, {"timeout_s", 121}})) == "bad_request timeout_s");
  CHECK(outcome(bench.host("stop", {{"container", "web"}, {"timeout_s", -1}})) == "bad_request timeout_s");
}

TEST_CASE("the engine's file and what the engine runs with are told apart", "[verbs]") {
  MemoryEngine engine;
  engine.engine_facts.insecure_registries = {"10.0.0.0/8"};
  Bench bench{engine};
  CHECK(good(bench.host("daemon_config"))["file"]["exists"] == false);
  std::ofstream{bench.engine_file} << R"({"live-restore": true, "insecure-registries": ["10.0.0.0/8"], "dns": ["10.0.0.2"]})";
  engine.put_event({.at = bench.clock.now() - std::chrono::minutes{5}, .type = "daemon", .action = "reload", .id = "x", .attributes = {{"live-restore", "false"}}});
  engine.put_event({.at = bench.clock.now(), .type = "container", .action = "start", .id = "y", .attributes = {}});
  const auto answer = good(bench.host("daemon_config"));
  CHECK(answer["file"]["exists"] == true);
  CHECK(answer["file"]["sha256"].get<std::string>().size() == 64);
  CHECK(answer["not_taken"] == Json::parse(R"([{"key": "live-restore", "file": true, "engine": false}])"));
  CHECK(answer["last_reload"]["at"] == to_rfc3339(bench.clock.now() - std::chrono::minutes{5}));
  CHECK(answer["last_reload"]["attributes"]["live-restore"] == "false");
  std::ofstream{bench.engine_file} << "{not json";
  CHECK(good(bench.host("daemon_config"))["not_taken"].empty());
}

TEST_CASE("events are the window that ends now", "[verbs]") {
  MemoryEngine engine;
  Bench bench{engine};
  engine.put_event({.at = at("2026-01-02T02:00:00Z"), .type = "container", .action = "create", .id = "old", .attributes = {}});
  engine.put_event({.at = at("2026-01-02T03:00:00Z"), .type = "container", .action = "die", .id = "new", .attributes = {{"name", "web"}, {"exitCode", "7"}, {"mesh-host.id", "web"}, {"secret", "x"}}});
  const auto answer = good(bench.host("events", {{"minutes", 10}}));
  REQUIRE(answer["events"].size() == 1);
  CHECK(answer["events"][0] == Json{{"at", "2026-01-02T03:00:00.000000000Z"}, {"type", "container"}, {"action", "die"}, {"id", "new"}, {"name", "web"}, {"exit_code", "7"}, {"assignment", "web"}});
  CHECK(good(bench.host("events", {{"minutes", 120}}))["events"].size() == 2);
  CHECK(outcome(bench.host("events", {{"minutes", 1441}})) == "bad_request minutes");
}

TEST_CASE("a host's container has its networks and volumes made and labelled with who holds them", "[create]") {
  MemoryEngine engine;
  engine.put_image("mini:1", kMini);
  Bench bench{engine};
  const auto made = good(bench.host("create", Json::parse(R"({"name": "web", "image": "mini:1", "assignment": "web", "runtime_socket": true,
    "networks": ["web-net"], "volumes": [{"type": "volume", "source": "web-data", "target": "/data"}]})")));
  CHECK(made["assignment"] == "web");
  CHECK(engine.acts() == std::vector<std::string>{"network web-net", "volume web-data", "create web", "start web"});
  CHECK(engine.network("web-net")->labels.at("mesh-host.id") == "web");
  CHECK(engine.volume("web-data")->labels.at("mesh-host.id") == "web");
  CHECK(engine.created("web").runtime_socket);
  CHECK(engine.created("web").labels.empty());
}

TEST_CASE("a host's container that ended and removed itself at once was made all the same", "[create]") {
  MemoryEngine engine;
  engine.put_image("mini:1", kMini);
  Bench bench{engine};
  engine.gone_after_start = true;
  const auto made = good(bench.host("create", {{"name", "once"}, {"image", "mini:1"}, {"assignment", "web"}, {"auto_remove", true}}));
  CHECK(made["name"] == "once");
  CHECK(made["assignment"] == "web");
  CHECK(engine.list()->empty());
}

TEST_CASE("a container that cannot start does not stay, one whose start is unknown does", "[create]") {
  MemoryEngine engine;
  engine.put_image("mini:1", kMini);
  Bench bench{engine};
  bench.grant(kReader);
  const auto face = GENERATE(as<std::string>{}, "host", "bus");
  const auto create = [&] {
    const Json spec = {{"name", "web"}, {"image", "mini:1"}};
    return face == "host" ? bench.host("create", spec) : bench.bus("create", spec);
  };
  engine.start_fails.emplace("web", fail(Errc::engine_refused, "port is already allocated"));
  CHECK(outcome(create()) == "engine_refused");
  CHECK(outcome(bench.host("inspect", {{"container", "web"}})) == "not_found container");
  engine.start_fails.at("web") = fail(Errc::timeout, "no answer within 20 s");
  CHECK(outcome(create()) == "timeout");
  CHECK(outcome(bench.host("inspect", {{"container", "web"}})) == "ok");
}

TEST_CASE("a bus caller's container is composed with bounds, by image id, and bears its name", "[create]") {
  MemoryEngine engine;
  engine.put_image("mini:1", kMini);
  Bench bench{engine};
  bench.grant(kReader);
  good(bench.bus("create", {{"name", "job"}, {"image", "mini:1"}}));
  const auto spec = engine.created("job");
  CHECK(spec.image == kMini.id);
  CHECK(spec.labels == std::map<std::string, std::string>{{"mesh-holder.caller", "alice"}});
  CHECK(spec.mem_limit == 512 << 20);
  CHECK(spec.nano_cpus == 1'000'000'000);
  CHECK(spec.pids_limit == 512);
  CHECK(spec.shm_size == 64 << 20);
  CHECK(spec.cap_drop == std::vector<std::string>{"MKNOD", "NET_RAW", "AUDIT_WRITE"});
  CHECK(spec.security_opt == std::vector<std::string>{"no-new-privileges:true"});
  CHECK(spec.ipc == "private");
  CHECK(spec.cgroup == "private");
  CHECK(spec.network_mode == "bridge");
  CHECK(spec.logging_options == std::map<std::string, std::string>{{"max-size", "10m"}, {"max-file", "3"}});
}

TEST_CASE("an engine that makes another container than was composed has it taken away", "[create]") {
  MemoryEngine engine;
  engine.put_image("mini:1", kMini);
  Bench bench{engine};
  bench.grant(kReader);
  const auto change_host_config = [](const char* key, const Json& value) {
    return [=](holder::engine::Inspected& made) {
      auto document = *made.document;
      document["HostConfig"][key] = value;
      made.document = std::make_shared<const Json>(std::move(document));
    };
  };
  SECTION("a label") { engine.tamper = [](auto& made) { made.summary.labels["mesh-host.id"] = "web"; }; }
  SECTION("a label lost") { engine.tamper = [](auto& made) { made.summary.labels.clear(); }; }
  SECTION("a mount") { engine.tamper = [](auto& made) { made.summary.mounts.push_back({"bind", "/etc", "/h", false}); }; }
  SECTION("a mount's source") { engine.tamper = [](auto& made) { made.summary.mounts.at(0).source = "other"; }; }
  SECTION("a mount lost") { engine.tamper = [](auto& made) { made.summary.mounts.clear(); }; }
  SECTION("a network") { engine.tamper = [](auto& made) { made.summary.networks = {"held-net"}; }; }
  SECTION("privileged") { engine.tamper = change_host_config("Privileged", true); }
  SECTION("a capability") { engine.tamper = change_host_config("CapAdd", Json{"CAP_SYS_ADMIN"}); }
  SECTION("the network mode") { engine.tamper = change_host_config("NetworkMode", "host"); }
  const auto refused = bench.bus("create", Json::parse(R"({"name": "job", "image": "mini:1",
    "volumes": [{"type": "volume", "source": "job-data", "target": "/data"}]})"));
  CHECK(outcome(refused) == "engine_refused");
  CHECK(outcome(bench.host("inspect", {{"container", "job"}})) == "not_found container");
  CHECK(engine.acts().back() == "remove job with volumes");
}

TEST_CASE("a bus caller uses its own volumes and networks", "[create]") {
  MemoryEngine engine;
  engine.put_image("mini:1", kMini);
  Bench bench{engine};
  bench.grant(kReader);
  engine.put_volume("bob-data", {"local", {}, {{"mesh-holder.caller", "bob"}}});
  engine.put_volume("nobodys", {"local", {}, {}});
  engine.put_volume("held-data", {"local", {}, {{"mesh-host.id", "web"}}});
  engine.put_volume("evil", {"local", {{"o", "bind"}, {"device", "/"}}, {{"mesh-holder.caller", "alice"}}});
  engine.put_volume("plug", {"rclone", {}, {{"mesh-holder.caller", "alice"}}});
  engine.put_network("app-net", {"a1", "bridge", {{"mesh-holder.caller", "alice"}}});
  engine.put_network("held-net", {"a2", "bridge", {{"mesh-host.id", "web"}}});
  engine.put_network("lan", {"a3", "macvlan", {{"mesh-holder.caller", "alice"}}});
  const auto with_volume = [&](const std::string& name) {
    return outcome(bench.bus("create", {{"image", "mini:1"}, {"volumes", {{{"type", "volume"}, {"source", name}, {"target", "/d"}}}}}));
  };
  const auto with_network = [&](const std::string& name) { return outcome(bench.bus("create", {{"image", "mini:1"}, {"networks", {name}}})); };
  CHECK(with_volume("new-data") == "ok");
  CHECK(engine.volume("new-data")->labels.at("mesh-holder.caller") == "alice");
  CHECK(with_volume("new-data") == "ok");
  CHECK(with_volume("bob-data") == "not_granted volumes[0].source");
  CHECK(with_volume("nobodys") == "not_granted volumes[0].source");
  CHECK(with_volume("held-data") == "refused_held volumes[0].source");
  CHECK(with_volume("evil") == "refused_root_equivalent volumes[0].source");
  CHECK(with_volume("plug") == "refused_root_equivalent volumes[0].source");
  CHECK(with_network("app-net") == "ok");
  CHECK(with_network("held-net") == "refused_held networks[0]");
  CHECK(with_network("lan") == "bad_request networks[0]");
  CHECK(with_network("none-such") == "not_found networks[0]");
}

TEST_CASE("a caller has so many containers and no more, also when it asks all at once", "[create]") {
  MemoryEngine engine;
  engine.put_image("mini:1", kMini);
  Bench bench{engine};
  bench.bounds.containers = 3;
  bench.grants = kReader;
  bench.start();
  engine.put("other", {{"mesh-holder.caller", "bob"}});
  std::atomic<int> made = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 12; ++i) {
      threads.emplace_back([&, i] { made += bench.bus("create", {{"name", "job" + std::to_string(i)}, {"image", "mini:1"}}).ok() ? 1 : 0; });
    }
  }
  CHECK(made <= 3);
  while (made < 3 && bench.bus("create", {{"name", "later" + std::to_string(made)}, {"image", "mini:1"}}).ok()) ++made;
  CHECK(made == 3);
  const auto refused = bench.bus("create", {{"name", "more"}, {"image", "mini:1"}});
  CHECK(outcome(refused) == "conflict");
  CHECK_THAT(refused.error().detail, Catch::Matchers::Contains("at most 3"));
}
