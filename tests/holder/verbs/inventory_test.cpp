// The machine beside its containers: what is answered, and what prune takes, on an engine whose every word is set here.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>

#include "tests/holder/verbs/bench.h"

using namespace berth;
using namespace berth::test;
using Catch::Matchers::Contains;

namespace {

Json answered(Result<Json> answer) {
  if (!answer) FAIL(to_text(answer.error()));
  return std::move(answer).value();
}

std::string image_named(char c) { return "sha256:" + std::string(64, c); }

std::vector<std::string> column(const Json& rows, const char* key) {
  std::vector<std::string> all;
  for (const auto& row : rows) all.push_back(row[key].is_array() ? row[key].dump() : row[key].get<std::string>());
  return all;
}

/// Three images by size, one a step of a build; a container of the first.
struct Store : MemoryEngine {
  Store() {
    put_row({.id = image_named('a'), .parent = {}, .tags = {"web:1"}, .digests = {}, .created_at = "", .size_bytes = 10});
    put_row({.id = image_named('b'), .parent = {}, .tags = {}, .digests = {}, .created_at = "", .size_bytes = 30});
    put_row({.id = image_named('c'), .parent = image_named('b'), .tags = {}, .digests = {}, .created_at = "", .size_bytes = 40});
    put_row({.id = image_named('d'), .parent = {}, .tags = {"tool:1"}, .digests = {}, .created_at = "", .size_bytes = 20});
    usage.build = {{.id = "r1", .kind = "regular", .what = "step", .last_used_at = "", .size_bytes = 5, .in_use = false, .shared = false},
                   {.id = "r2", .kind = "regular", .what = "step", .last_used_at = "", .size_bytes = 7, .in_use = true, .shared = false}};
    make("web", {{"mesh-host.id", "web"}}, "running", 'a');
  }
  void make(const std::string& name, const std::map<std::string, std::string>& labels, const std::string& state, char image) {
    put(name, labels, state);
    change(name, [&](auto& container) { container.summary.image_id = image_named(image); });
  }
};

const Json kPruner = Json::parse(R"([{"caller": "alice", "verbs": ["*"], "class": "read"}, {"caller": "alice", "verbs": ["docker_prune"], "class": "act"}])");

}  // namespace

TEST_CASE("images are largest first, with who uses each, and a step of a build is none", "[verbs]") {
  Store engine;
  Bench bench{engine};
  const auto ids = [&](const char* which) { return column(answered(bench.host("images", {{"which", which}}))["images"], "id"); };
  CHECK(ids("all") == std::vector{image_named('c'), image_named('d'), image_named('a')});
  CHECK(ids("dangling") == std::vector{image_named('c')});
  CHECK(ids("unused") == std::vector{image_named('c'), image_named('d')});
  const auto used = answered(bench.host("docker_images", {{"which", "used"}}));
  REQUIRE(used["images"].size() == 1);
  CHECK(used["images"][0]["containers"][0]["name"] == "web");
  CHECK(used["images"][0]["containers"][0]["assignment"] == "web");
  CHECK(outcome(bench.host("images", {{"which", "old"}})) == "bad_request which");
}

TEST_CASE("an answer that does not fit says truncated and how many there are", "[verbs]") {
  MemoryEngine engine;
  for (int i = 0; i < 100; ++i)
    engine.put_row({.id = "sha256:" + std::to_string(1000 + i), .parent = {}, .tags = {"t:" + std::to_string(i)}, .digests = {}, .created_at = "", .size_bytes = i});
  Bench bench{engine};
  bench.grant(kPruner);
  bench.max_reply = 4096;
  const auto answer = answered(bench.bus("images"));
  CHECK(answer["truncated"] == true);
  CHECK(answer["total"] == 100);
  CHECK(answer["images"][0]["size_bytes"] == 99);
  CHECK(answer.dump().size() <= bench.max_reply);
}

TEST_CASE("prune is a dry run unless told otherwise, and its plan takes what it showed", "[prune]") {
  Store engine;
  engine.make("old", {}, "exited", 'a');
  engine.make("kept", {{"mesh-host.id", "job"}}, "exited", 'a');
  engine.make("fresh", {}, "created", 'a');
  Bench bench{engine};
  bench.grant(kPruner);
  const auto dry = answered(bench.bus("prune", {{"containers", true}}));
  CHECK(dry["dry_run"] == true);
  CHECK(column(dry["images"], "id") == std::vector{image_named('c'), image_named('b')});
  CHECK(column(dry["build_cache"], "id") == std::vector<std::string>{"r1"});
  CHECK(column(dry["containers"], "name") == std::vector<std::string>{"old"});
  CHECK(dry["bytes_at_most"] == 75);
  CHECK(engine.acts().empty());
  CHECK(answered(bench.bus("prune"))["containers"].empty());

  // Between the two calls: another dangling image, another stopped stray, and a shown one gets a tag.
  engine.put_row({.id = image_named('e'), .parent = {}, .tags = {}, .digests = {}, .created_at = "", .size_bytes = 1});
  engine.make("later", {}, "exited", 'a');
  const auto run = answered(bench.bus("docker_prune", {{"dry_run", false}, {"plan", dry["plan"]}}));
  CHECK(run["removed"]["images"] == Json({image_named('b'), image_named('c')}));
  CHECK(run["removed"]["build_cache"] == Json({"r1"}));
  CHECK(run["removed"]["containers"].size() == 1);
  CHECK(engine.acts() == std::vector<std::string>{"remove old", "remove image " + image_named('c'), "remove image " + image_named('b'), "remove build record r1"});
  CHECK(bench.audit() == "bus alice prune - ok\nbus alice prune - ok\nbus alice prune - ok\n");
}

TEST_CASE("what was shown and has become used, tagged, held or started stays", "[prune]") {
  Store engine;
  engine.make("old", {}, "exited", 'a');
  Bench bench{engine};
  bench.grant(kPruner);
  const auto plan = answered(bench.bus("prune", {{"containers", true}}))["plan"];
  engine.change("old", [](auto& container) { container.summary.state = "running"; });
  engine.make("user", {}, "exited", 'c');
  const auto run = answered(bench.bus("prune", {{"dry_run", false}, {"plan", plan}}));
  CHECK(run["removed"]["images"].empty());
  CHECK(run["removed"]["containers"].empty());
  CHECK(engine.acts() == std::vector<std::string>{"remove build record r1"});
}

TEST_CASE("no plan, whatever it names, reaches a held container, a tagged image or a volume", "[prune]") {
  Store engine;
  engine.make("kept", {{"mesh-host.id", "job"}}, "exited", 'a');
  const auto kept = engine.inspect("kept").value().summary.id;
  Bench bench{engine};
  bench.grant(kPruner);
  const Json plan = {{"images", {image_named('a'), image_named('d'), "web:1", "../x"}}, {"build_cache", {"r2", ".*"}}, {"containers", {kept, "kept"}}};
  const auto run = answered(bench.bus("prune", {{"dry_run", false}, {"plan", plan}}));
  CHECK(run["removed"] == Json{{"images", Json::array()}, {"build_cache", Json::array()}, {"containers", Json::array()}});
  CHECK(engine.acts().empty());
  CHECK(outcome(bench.bus("prune", {{"dry_run", false}, {"plan", {{"volumes", {"v"}}}}})) == "bad_request plan.volumes");
  CHECK(outcome(bench.bus("prune", {{"plan", plan}})) == "bad_request plan");
}

TEST_CASE("prune is an act: a grant of everything read does not reach it", "[prune]") {
  Store engine;
  Bench bench{engine};
  bench.grant(Json::parse(R"([{"caller": "alice", "verbs": ["*"], "class": "act"}])"));
  CHECK(outcome(bench.bus("prune")) == "not_granted");
  CHECK(outcome(bench.bus("docker_prune", {{"dry_run", false}})) == "not_granted");
  CHECK(engine.acts().empty());
}

TEST_CASE("an engine that goes away in the middle of a prune is told with what went before", "[prune]") {
  Store engine;
  Bench bench{engine};
  bench.grant(kPruner);
  engine.before_act = [&](const std::string&) {
    if (!engine.acts().empty()) engine.down = true;
  };
  const auto cut = bench.bus("prune", {{"dry_run", false}});
  CHECK(outcome(cut) == "engine_unreachable");
  CHECK_THAT(cut.error().detail, Contains("1 images"));
}

TEST_CASE("ST09 a published port is one row with its addresses, and two ports of two families are two", "[verbs]") {
  MemoryEngine engine;
  engine.put("web", {});
  engine.change("web", [](auto& container) {
    container.summary.ports = {{"0.0.0.0", 8080, 80, "tcp"}, {"::", 8080, 80, "tcp"}, {"", 8080, 80, "tcp"}, {"0.0.0.0", 9001, 81, "tcp"}, {"::", 9002, 81, "tcp"}};
  });
  engine.put("gone", {}, "exited");
  engine.change("gone", [](auto& container) { container.summary.ports = {{"0.0.0.0", 7000, 70, "tcp"}}; });
  Bench bench{engine};
  const auto answer = answered(bench.host("ports"));
  REQUIRE(answer["ports"].size() == 3);
  CHECK(answer["ports"][0]["host_port"] == 8080);
  CHECK(answer["ports"][0]["addresses"] == Json({"0.0.0.0", "::"}));
  CHECK(answer["ports"][0]["container"]["name"] == "web");
}

TEST_CASE("ST11 of a container on the machine's network it says that its ports are not known", "[verbs]") {
  MemoryEngine engine;
  engine.put("mon", {});
  engine.change("mon", [](auto& container) { container.summary.host_network = true; });
  Bench bench{engine};
  const auto answer = answered(bench.host("ports"));
  CHECK(answer["ports"].empty());
  CHECK(answer["host_network"][0]["name"] == "mon");
  CHECK_THAT(answer["host_network"][0]["note"].get<std::string>(), Contains("not known to the engine"));
}

TEST_CASE("problems are what an operator asks at night, and what is well is none", "[verbs]") {
  MemoryEngine engine;
  const auto make = [&](const char* name, const char* state, const std::function<void(holder::engine::Inspected&)>& how) {
    engine.put(name, {}, state);
    engine.change(name, how);
  };
  make("well", "running", [](auto& c) { c.summary.health = "healthy"; });
  make("stopped", "exited", [](auto& c) { c.summary.exit_code = 143; });
  make("done", "exited", [](auto&) {});
  make("sick", "running", [](auto& c) { c.summary.health = "unhealthy"; });
  make("loops", "restarting", [](auto& c) { c.summary.restarts = 12; });
  make("corpse", "dead", [](auto&) {});
  make("big", "exited", [](auto& c) { c.oom_killed = true; c.summary.exit_code = 137; });
  make("broke", "exited", [](auto& c) { c.summary.exit_code = 3; });
  make("shaky", "running", [](auto& c) { c.summary.restarts = 5; });
  make("calm", "running", [](auto& c) { c.summary.restarts = 4; });
  make("stillborn", "created", [](auto& c) { c.error = "exec: not found"; });
  make("untold", "exited", [](auto& c) { c.document = nullptr; c.error = "network inspection mismatch"; });
  Bench bench{engine};
  std::map<std::string, std::string> seen;
  const auto answer = answered(bench.host("problems"));
  for (const auto& row : answer["containers"]) seen[row["name"]] = row["problems"].dump();
  CHECK(seen == std::map<std::string, std::string>{{"sick", R"(["unhealthy"])"},
                                                   {"loops", R"(["restarting","restarted 12 times"])"},
                                                   {"corpse", R"(["dead"])"},
                                                   {"big", R"(["killed for memory"])"},
                                                   {"broke", R"(["failed: exit code 3"])"},
                                                   {"shaky", R"(["restarted 5 times"])"},
                                                   {"stillborn", R"(["failed: it could not be started"])"},
                                                   {"untold", R"(["the engine cannot tell of it"])"}});
  const auto untold = std::ranges::find(answer["containers"], "untold", [](const Json& row) { return row["name"]; });
  CHECK(untold->at("error") == "network inspection mismatch");
  CHECK(untold->at("exit_code").is_null());  // unknown is never zero
}

TEST_CASE("DJ04 DJ05 what would stop the engine at its next start is named, though it answers now", "[verbs]") {
  MemoryEngine engine;
  Bench bench{engine};
  const auto next_start = [&](const std::string& text) {
    std::ofstream{bench.engine_file} << text;
    const auto rows = answered(bench.host("daemon_config"))["next_start"];
    CHECK(answered(bench.host("problems"))["next_start"] == rows);
    return rows.empty() ? std::string{"comes up"} : rows[0]["why"].get<std::string>();
  };
  CHECK(next_start("{}") == "comes up");
  CHECK(next_start(R"({"live-restore": true, "dns": ["10.0.0.2"]})") == "comes up");
  CHECK_THAT(next_start("\xEF\xBB\xBF{}"), Contains("BOM") && Contains("offset 0"));
  CHECK_THAT(next_start("{\"live-restore\": true,\n}"), Contains("line 2, column 1"));
  CHECK_THAT(next_start("{} x"), Contains("line 1, column 4"));
  CHECK_THAT(next_start("[]"), Contains("no JSON object"));
  CHECK_THAT(next_start(""), Contains("line 1"));
  CHECK_THAT(next_start(R"({"live-restored": true})"), Contains("no engine"));
  CHECK_THAT(next_start(R"({"dns": "10.0.0.2"})"), Contains("would not start"));
  CHECK_THAT(next_start(R"({"log-opts": {"max-sise": "1m"}})"), Contains("max-sise"));
}

namespace {

/// A process that /proc shows as a dockerd with flags; gone with this value.
class SeemingDockerd {
 public:
  SeemingDockerd(const std::filesystem::path& folder, const std::vector<std::string>& flags) {
    const auto script = (folder / "script").native();
    std::ofstream{script} << "sleep 60\n";
    std::vector<char*> words;
    auto all = flags;
    all.insert(all.begin(), {"/usr/sbin/dockerd", script});
    for (auto& word : all) words.push_back(word.data());
    words.push_back(nullptr);
    child_ = ::fork();
    REQUIRE(child_ >= 0);
    if (child_ == 0) {
      ::execv("/bin/sh", words.data());
      ::_exit(127);
    }
    std::ofstream{folder / "docker.pid"} << child_;
  }
  SeemingDockerd(const SeemingDockerd&) = delete;
  SeemingDockerd& operator=(const SeemingDockerd&) = delete;
  ~SeemingDockerd() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }

 private:
  pid_t child_ = -1;
};

}  // namespace

TEST_CASE("daemon_config lists the keys that a flag of the running engine sets, with flag and value", "[verbs]") {
  MemoryEngine engine;
  Bench bench{engine};
  const auto config = [&] { return answered(bench.host("daemon_config")); };
  CHECK(config()["set_by_flag"].empty());
  CHECK(config()["flags_unknown"].is_string());  // there is no process to look at, and that is said
  const SeemingDockerd dockerd{bench.folder.path(), {"--log-driver=local", "--dns", "10.0.0.9", "-D", "--live-restore"}};
  // Until the child has become the program its command line is this test's.
  for (int i = 0; i < 400 && !config()["flags_unknown"].is_null(); ++i) ::usleep(25'000);
  CHECK(config()["set_by_flag"] == Json::parse(R"([{"key": "log-driver", "flag": "--log-driver", "value": "local"},
    {"key": "dns", "flag": "--dns", "value": "10.0.0.9"}, {"key": "debug", "flag": "-D", "value": "true"},
    {"key": "live-restore", "flag": "--live-restore", "value": "true"}])"));
  // A key that the file sets as well keeps the engine from its next start, equal or not.
  std::ofstream{bench.engine_file} << R"({"log-driver": "local"})";
  const auto next = config()["next_start"];
  REQUIRE(next.size() == 1);
  CHECK_THAT(next.dump(), Contains("log-driver") && Contains("--log-driver"));
}

TEST_CASE("the clean-up list is the strays, a page at a time", "[verbs]") {
  MemoryEngine engine;
  engine.put("web", {{"mesh-host.id", "web"}});
  for (const auto* name : {"b", "a", "c"}) engine.put(name, {});
  Bench bench{engine};
  const auto first = answered(bench.host("docker_unlabelled", {{"limit", 2}}));
  CHECK(column(first["containers"], "name") == std::vector<std::string>{"a", "b"});
  CHECK(column(answered(bench.host("unlabelled", {{"after", first["next"]}}))["containers"], "name") == std::vector<std::string>{"c"});
}

TEST_CASE("volumes say who mounts them, whether one of them is held, and sizes when asked", "[verbs]") {
  MemoryEngine engine;
  engine.put_volume_row({.name = "data", .driver = "local", .created_at = "", .labels = {}, .anonymous = false});
  engine.put_volume_row({.name = std::string(64, 'f'), .driver = "local", .created_at = "", .labels = {}, .anonymous = true});
  engine.usage.volumes = {{"data", 7, {}}, {std::string(64, 'f'), std::nullopt, {}}};
  engine.put("web", {{"mesh-host.id", "web"}});
  engine.change("web", [](auto& c) { c.summary.mounts = {{"volume", "data", "/d", true}}; });
  Bench bench{engine};
  const auto rows = answered(bench.host("volumes", {{"sizes", true}}))["volumes"];
  CHECK(rows[0]["name"] == "data");
  CHECK(rows[0]["mesh_held"] == true);
  CHECK(rows[0]["containers"][0]["target"] == "/d");
  CHECK(rows[0]["size_bytes"] == 7);
  CHECK(rows[1]["anonymous"] == true);
  CHECK(rows[1]["mesh_held"] == false);
  CHECK(rows[1]["size_bytes"].is_null());
  CHECK_FALSE(answered(bench.host("volumes"))["volumes"][0].contains("size_bytes"));
}

TEST_CASE("what was not counted is no zero: disk usage says null", "[verbs]") {
  Store engine;
  engine.usage.volumes = {{"data", std::nullopt, {}}};
  engine.usage.images = {{image_named('a'), 10, 2}, {image_named('c'), 40, 2}};
  engine.usage.layers_bytes = 48;
  Bench bench{engine};
  const auto answer = answered(bench.host("disk_usage"));
  CHECK(answer["volumes"]["size_bytes"].is_null());
  CHECK(answer["volumes"]["uncounted"] == 1);
  CHECK(answer["images"]["total"] == 2);
  CHECK(answer["images"]["active"] == 1);
  CHECK(answer["images"]["size_bytes"] == 48);
  CHECK(answer["images"]["reclaimable_bytes"] == 40);
  CHECK(answer["images"]["largest"][0]["id"] == image_named('c'));
  CHECK(answer["build_cache"]["reclaimable_bytes"] == 5);
}

TEST_CASE("top of what does not run is a conflict that says what it is", "[verbs]") {
  MemoryEngine engine;
  engine.put("web", {{"mesh-host.id", "web"}});
  engine.put("off", {}, "exited");
  engine.put_processes({{.pid = 7, .parent = 1, .user = "root", .command = "sleep 1", .elapsed_s = 3, .cpu_percent = {}}});
  Bench bench{engine};
  const auto answer = answered(bench.host("top", {{"container", "web"}}));
  CHECK(answer["processes"][0]["command"] == "sleep 1");
  CHECK(answer["processes"][0]["cpu_percent"].is_null());
  CHECK(answer["assignment"] == "web");
  const auto off = bench.host("top", {{"container", "off"}});
  CHECK(outcome(off) == "conflict");
  CHECK_THAT(off.error().detail, Contains("exited"));
}
