// The verbs as callers see them: every case holds on the fake engine and on the real ones.
#include <algorithm>
#include <functional>
#include <set>

#include "tests/holder/engine/engine_world.h"
#include "tests/holder/verbs/bench.h"

using namespace berth;
using namespace berth::test;
using holder::engine::Engine;

namespace {

/// Where a case runs: an engine with a busybox image, and names that are cleaned up after it.
struct Ground {
  Engine& engine;
  std::string image;
  std::function<std::string(const std::string&)> name;
  std::function<void(const std::string&)> also_remove;  // a path of the engine's API
};

constexpr const char* kSleep = "trap 'exit 0' TERM; while true; do sleep 1; done";

Json everything_granted() {
  return Json::parse(R"([{"caller": "alice", "verbs": ["*"], "class": "read"},
    {"caller": "alice", "verbs": ["start", "stop", "restart", "create", "remove"], "class": "act"}])");
}

/// A bench whose bus caller alice may do everything that can be granted.
struct Table : Bench {
  explicit Table(Ground& at) : Bench(at.engine), ground(at) { grant(everything_granted()); }

  Json spec(const std::string& what, const Json& more = Json::object()) {
    Json document = {{"name", ground.name(what)}, {"image", ground.image}, {"command", {"sh", "-c", kSleep}}, {"network_mode", "none"}};
    document.update(more);
    return document;
  }
  Json must_host(const std::string& verb, const Json& params) { return good(host(verb, params)); }
  Json must_bus(const std::string& verb, const Json& params) { return good(bus(verb, params)); }
  static Json good(Result<Json> answer) {
    if (!answer) FAIL(to_text(answer.error()));
    return std::move(answer).value();
  }
  Ground& ground;
};

void containers_are_listed_by_owner(Ground& ground) {
  Table t{ground};
  const auto held = t.must_host("create", t.spec("held", {{"assignment", "web"}}));
  const auto stray = t.must_bus("create", t.spec("stray"));
  const auto ids = [&](const Json& params) {
    std::set<std::string> found;
    const auto answer = t.must_bus("list", params);
    for (const auto& row : answer["containers"]) found.insert(row["id"].get<std::string>());
    return found;
  };
  const std::string held_id = held["id"], stray_id = stray["id"];
  CHECK(ids(Json::object()).contains(held_id));
  CHECK(ids(Json::object()).contains(stray_id));
  CHECK(ids({{"owner", "held"}}).contains(held_id));
  CHECK_FALSE(ids({{"owner", "held"}}).contains(stray_id));
  CHECK(ids({{"owner", "stray"}}).contains(stray_id));
  CHECK_FALSE(ids({{"owner", "stray"}}).contains(held_id));
  CHECK(ids({{"name", stray["name"]}}) == std::set{stray_id});
  CHECK(ids({{"name", stray["name"]}, {"state", "exited"}}).empty());
  const auto row = t.must_bus("list", {{"name", held["name"]}})["containers"][0];
  CHECK(row["mesh_held"] == true);
  CHECK(row["assignment"] == "web");
  CHECK(row["state"] == "running");
}

void a_container_is_named_by_id_name_or_prefix(Ground& ground) {
  Table t{ground};
  const auto made = t.must_host("create", t.spec("one"));
  const std::string id = made["id"];
  for (const auto& ref : {id, made["name"].get<std::string>(), id.substr(0, 16)}) {
    CHECK(t.must_bus("inspect", {{"container", ref}})["id"] == id);
  }
  CHECK(outcome(t.bus("inspect", {{"container", "nobody-has-this-name"}})) == "not_found container");
  for (const auto* bad : {"--all", "../x", "a/b", "x?force=1", "x\n", "a b"}) {
    CHECK(outcome(t.bus("inspect", {{"container", bad}})) == "bad_request container");
  }
  CHECK(outcome(t.bus("inspect")) == "bad_request container");
  CHECK(outcome(t.bus("inspect", {{"container", 7}})) == "bad_request container");
}

void a_held_container_is_started_and_stopped_by_anybody_and_says_so(Ground& ground) {
  Table t{ground};
  const auto made = t.must_host("create", t.spec("web", {{"assignment", "web"}}));
  const Json params = {{"container", made["name"]}, {"timeout_s", 5}};
  const auto stopped = t.must_bus("stop", params);
  CHECK(stopped["was"] == "running");
  CHECK(stopped["now"] == "exited");
  CHECK(stopped["mesh_held"] == true);
  CHECK(stopped["assignment"] == "web");
  CHECK_THAT(stopped["note"].get<std::string>(), Catch::Matchers::Contains("the host restores"));
  CHECK(t.must_bus("start", {{"container", made["id"]}})["now"] == "running");
  CHECK(t.must_bus("restart", params)["now"] == "running");
  const auto stray = t.must_bus("create", t.spec("stray"));
  CHECK(t.must_bus("stop", {{"container", stray["id"]}, {"timeout_s", 5}})["note"].is_null());
}

void what_is_held_is_created_and_removed_by_the_host_alone(Ground& ground) {
  Table t{ground};
  const auto held = t.must_host("create", t.spec("web", {{"assignment", "web"}}));
  for (const auto& ref : {held["id"], held["name"]}) {
    const auto refused = t.bus("remove", {{"container", ref}, {"force", true}});
    CHECK(outcome(refused) == "refused_held container");
    CHECK(refused.error().assignment == "web");
  }
  CHECK(t.must_bus("inspect", {{"container", held["id"]}})["state"] == "running");
  const auto created = t.bus("create", t.spec("fake", {{"assignment", "web"}}));
  CHECK(outcome(created) == "refused_held assignment");
  CHECK(created.error().assignment == "web");
  const auto labelled = t.bus("create", t.spec("fake2", {{"labels", {{"mesh-host.id", "web"}}}}));
  CHECK(outcome(labelled) == "refused_held labels[mesh-host.id]");
  CHECK(labelled.error().assignment == "web");

  const auto stray = t.must_bus("create", t.spec("stray"));
  CHECK(t.must_bus("remove", {{"container", stray["id"]}, {"force", true}})["mesh_held"] == false);
  CHECK(outcome(t.bus("inspect", {{"container", stray["id"]}})) == "not_found container");
  CHECK(t.must_host("remove", {{"container", held["id"]}, {"force", true}})["assignment"] == "web");
}

void what_is_root_on_the_machine_is_made_by_the_host_alone(Ground& ground) {
  Table t{ground};
  const std::pair<const char*, const char*> kRows[] = {
      {R"({"privileged": true})", "privileged"},
      {R"({"volumes": [{"type": "bind", "source": "/etc", "target": "/host-etc", "read_only": true}]})", "volumes[0].type"},
      {R"({"network_mode": "host"})", "network_mode"},
      {R"({"pid": "host"})", "pid"},
      {R"({"ipc": "host"})", "ipc"},
      {R"({"uts": "host"})", "uts"},
      {R"({"cgroup": "host"})", "cgroup"},
      {R"({"runtime_socket": true})", "runtime_socket"},
      {R"({"cap_add": ["SYS_ADMIN"]})", "cap_add[0]"},
      {R"({"security_opt": ["seccomp=unconfined"]})", "security_opt[0]"},
      {R"({"devices": ["/dev/null:/dev/x:r"]})", "devices"},
      {R"({"device_cgroup_rules": ["c 10:229 rwm"]})", "device_cgroup_rules"},
      {R"({"sysctls": {"net.ipv4.ip_forward": "1"}})", "sysctls"},
      {R"({"group_add": ["0"]})", "group_add"},
  };
  for (const auto& [members, field] : kRows) {
    CAPTURE(members);
    auto spec = t.spec("root", Json::parse(members));
    spec["start"] = false;
    const auto refused = t.bus("create", spec);
    CHECK(outcome(refused) == std::string{"refused_root_equivalent "} + field);
    CHECK(refused.error().fields == std::vector<std::string>{field});
    CHECK(outcome(t.bus("inspect", {{"container", spec["name"]}})) == "not_found container");

    const auto made = t.must_host("create", spec);
    CHECK(t.must_host("inspect", {{"container", made["id"]}})["state"] == "created");
    CHECK(t.must_host("remove", {{"container", made["id"]}})["id"] == made["id"]);
  }
}

void a_bus_callers_container_is_its_own_and_keeps_little(Ground& ground) {
  Table t{ground};
  const auto made = t.must_bus("create", t.spec("mine", {{"labels", {{"app.team", "blue"}}}}));
  const auto seen = t.must_bus("inspect", {{"container", made["id"]}});
  CHECK(seen["labels"]["mesh-holder.caller"] == "alice");
  CHECK(seen["labels"]["app.team"] == "blue");
  CHECK(seen["mesh_held"] == false);
  CHECK(seen["document"]["HostConfig"]["Privileged"] == false);
}

void all_that_a_bus_caller_may_ask_for_is_what_it_gets(Ground& ground) {
  Table t{ground};
  const auto volume = ground.name("data");
  ground.also_remove("/volumes/" + volume);
  const auto spec = t.spec("full", Json::parse(R"({"entrypoint": ["/bin/sh", "-c"], "command": ["exit 0"], "user": "0", "hostname": "node-7",
    "working_dir": "/tmp", "stop_signal": "SIGINT", "stop_grace_period": "3s", "restart": "on-failure:2", "mem_limit": "64m", "cpus": 0.5,
    "pids_limit": 64, "shm_size": "1m", "read_only": true, "init": false, "cap_drop": ["ALL"], "cap_add": ["NET_BIND_SERVICE"],
    "healthcheck": {"test": ["CMD-SHELL", "true"], "interval": "30s", "timeout": "5s", "retries": 3}, "security_opt": ["no-new-privileges"],
    "extra_hosts": {"api.internal": "10.1.2.3"}, "start": false})"));
  auto whole = spec;
  whole["volumes"] = {{{"type", "volume"}, {"source", volume}, {"target", "/data"}, {"read_only", true}},
                      {{"type", "tmpfs"}, {"target", "/scratch"}, {"tmpfs", {{"size", "1m"}}}}};
  const auto made = t.must_bus("create", whole);
  const auto seen = t.must_host("inspect", {{"container", made["id"]}});
  CHECK(seen["state"] == "created");
  CHECK(seen["document"]["HostConfig"]["Privileged"] == false);
  const auto& mounts = seen["mounts"];
  CHECK(std::ranges::any_of(mounts, [&](const Json& m) { return m["source"] == volume && m["target"] == "/data" && m["read_only"] == true; }));
  CHECK(t.must_bus("remove", {{"container", made["id"]}})["id"] == made["id"]);
}

void environment_values_never_leave(Ground& ground) {
  Table t{ground};
  const auto made = t.must_bus("create", t.spec("env", {{"environment", {{"TOKEN", "s3cret-value"}}}}));
  CHECK(t.must_host("inspect", {{"container", made["id"]}}).dump().find("s3cret-value") == std::string::npos);
  CHECK(t.must_bus("list", Json::object()).dump().find("s3cret-value") == std::string::npos);
}

void a_taken_name_is_a_conflict_and_a_missing_image_is_named(Ground& ground) {
  Table t{ground};
  const auto spec = t.spec("twice");
  t.must_bus("create", spec);
  CHECK(outcome(t.bus("create", spec)) == "conflict name");
  CHECK(outcome(t.host("create", spec)) == "conflict");
  auto missing = t.spec("none");
  missing["image"] = "berth-no-such-image:1";
  CHECK(outcome(t.bus("create", missing)) == "not_found image");
  CHECK(outcome(t.host("create", missing)) == "not_found image");
}

void removing_a_running_one_needs_force(Ground& ground) {
  Table t{ground};
  const auto made = t.must_bus("create", t.spec("runs"));
  CHECK(outcome(t.bus("remove", {{"container", made["id"]}})) == "conflict");
  CHECK(outcome(t.bus("remove", {{"container", made["id"]}, {"force", true}, {"volumes", true}})) == "bad_request volumes");
  CHECK(t.must_bus("remove", {{"container", made["id"]}, {"force", true}})["name"] == made["name"]);
}

void the_host_signals(Ground& ground) {
  Table t{ground};
  const auto made = t.must_host("create", t.spec("sig", {{"assignment", "web"}, {"command", {"sh", "-c", "trap 'echo got' HUP; " + std::string{kSleep}}}}));
  CHECK(t.must_host("signal", {{"container", made["id"]}, {"signal", "HUP"}})["assignment"] == "web");
  CHECK(outcome(t.host("signal", {{"container", made["id"]}, {"signal", "KILL"}})) == "bad_request signal");
  CHECK(outcome(t.bus("signal", {{"container", made["id"]}, {"signal", "HUP"}})) == "not_granted");
  CHECK(t.must_host("inspect", {{"container", made["id"]}})["state"] == "running");
}

struct Case {
  const char* name;
  void (*run)(Ground&);
};
constexpr Case kCases[] = {
    {"containers are listed by owner, state and name", containers_are_listed_by_owner},
    {"a container is named by id, name or unique prefix and nothing else", a_container_is_named_by_id_name_or_prefix},
    {"a held container is started and stopped by anybody, and the answer says the host restores it", a_held_container_is_started_and_stopped_by_anybody_and_says_so},
    {"what is held is created and removed by the host alone", what_is_held_is_created_and_removed_by_the_host_alone},
    {"what is root on the machine is made by the host alone", what_is_root_on_the_machine_is_made_by_the_host_alone},
    {"a bus caller's container is its own and keeps little", a_bus_callers_container_is_its_own_and_keeps_little},
    {"all that a bus caller may ask for is what it gets", all_that_a_bus_caller_may_ask_for_is_what_it_gets},
    {"environment values never leave", environment_values_never_leave},
    {"a taken name is a conflict and a missing image is named", a_taken_name_is_a_conflict_and_a_missing_image_is_named},
    {"removing a running one needs force", removing_a_running_one_needs_force},
    {"the host signals", the_host_signals},
};

}  // namespace

TEST_CASE("the verbs on the fake engine", "[verbs]") {
  for (const auto& one : kCases) {
    DYNAMIC_SECTION(one.name) {
      MemoryEngine engine;
      engine.put_image("mini:1", {.id = "sha256:" + std::string(64, 'a'), .labels = {}, .command = {"sh"}, .entrypoint = {}, .volumes = {}});
      Ground ground{engine, "mini:1", [](const std::string& what) { return "bt-" + what; }, [](const std::string&) {}};
      one.run(ground);
    }
  }
}

TEST_CASE("the verbs on real engines", "[verbs][docker][podman]") {
  static const auto kSockets = engine_sockets();
  for (const auto& socket : kSockets) {
    for (const auto& one : kCases) {
      DYNAMIC_SECTION(one.name << " on " << socket) {
        EngineWorld world{socket};
        Ground ground{world.engine(), EngineWorld::kImage, [&](const std::string& what) { return world.name(what); },
                      [&](const std::string& path) { world.also_remove(path); }};
        one.run(ground);
      }
    }
  }
}
