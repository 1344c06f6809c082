#include <atomic>
#include <thread>

#include "tests/holder/engine/engine_world.h"

// The same cases on every engine there is: what they answer alike is the promise of engine.h.
namespace berth::test {
namespace {

using namespace std::chrono_literals;
namespace eng = holder::engine;

const eng::Summary* find(const std::vector<eng::Summary>& list, const std::string& id) {
  const auto found = std::ranges::find(list, id, &eng::Summary::id);
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("an engine says what it is", "[docker][podman]") {
  EVERY_ENGINE(world);
  const auto& info = world.engine().info();
  CHECK(info.name == (world.podman() ? "Podman Engine" : "Docker Engine"));
  CHECK(info.api_version >= "1.41");
  CHECK(!info.version.empty());
  CHECK(!info.id.empty());
  const auto facts = must(world.engine().facts());
  CHECK(facts.root_dir.starts_with('/'));
  CHECK(std::ranges::find(facts.insecure_registries, "127.0.0.0/8") == facts.insecure_registries.end());
  must(world.engine().ping());
}

TEST_CASE("a container is created, listed, started, stopped, started again and removed", "[docker][podman]") {
  EVERY_ENGINE(world);
  auto& engine = world.engine();
  auto spec = world.shell("life", "trap 'exit 3' TERM; while :; do sleep 0.1; done");
  spec.assignment = "web";
  const auto id = world.create(spec);
  auto list = must(engine.list());
  const auto* row = find(list, id);
  REQUIRE(row != nullptr);
  CHECK(row->name == spec.name);
  CHECK(row->state == "created");
  CHECK(row->assignment == "web");
  CHECK(row->mesh_held());
  CHECK(row->labels.at("mesh-host.id") == "web");
  CHECK(row->labels.at("berth-test") == "engine");

  must(engine.start(id));
  must(engine.start(id));  // started already is success
  auto seen = must(engine.inspect(spec.name));
  CHECK(seen.summary.id == id);
  CHECK(seen.summary.state == "running");
  CHECK(seen.pid > 0);
  CHECK(!seen.summary.started_at.empty());
  CHECK(seen.summary.finished_at.empty());
  CHECK(seen.summary.health == "none");

  must(engine.stop(id, 5s));
  must(engine.stop(id, 5s));  // stopped already is success
  seen = must(engine.inspect(id));
  CHECK(seen.summary.state == "exited");
  CHECK(seen.summary.exit_code == 3);
  CHECK(seen.pid == 0);
  CHECK(!seen.summary.finished_at.empty());
  list = must(engine.list());
  row = find(list, id);
  REQUIRE(row != nullptr);
  CHECK(row->state == "exited");
  CHECK(row->exit_code == 3);

  must(engine.restart(id, 1s));
  CHECK(world.state(id) == "running");
  must(engine.remove(id, true, false));
  CHECK(engine.inspect(id).error().code == Errc::not_found);
  CHECK(find(must(engine.list()), id) == nullptr);
}

TEST_CASE("what is not there is not_found, whatever is asked of it", "[docker][podman]") {
  EVERY_ENGINE(world);
  auto& engine = world.engine();
  const std::string gone = "bt-no-such-container";
  CHECK(engine.inspect(gone).error().code == Errc::not_found);
  CHECK(engine.start(gone).error().code == Errc::not_found);
  CHECK(engine.stop(gone, 1s).error().code == Errc::not_found);
  CHECK(engine.restart(gone, 1s).error().code == Errc::not_found);
  CHECK(engine.remove(gone, false, false).error().code == Errc::not_found);
  CHECK(engine.kill(gone, "HUP").error().code == Errc::not_found);
  CHECK(engine.logs(gone, {}).error().code == Errc::not_found);
  CHECK(engine.image("bt-no-such-image:1").error().code == Errc::not_found);
  CHECK(engine.network("bt-no-such-network").error().code == Errc::not_found);
  CHECK(engine.volume("bt-no-such-volume").error().code == Errc::not_found);
  auto spec = world.shell("noimage", "true");
  spec.image = "bt-no-such-image:1";
  const auto refused = engine.create(spec);
  REQUIRE(!refused);
  CHECK(refused.error().code == Errc::not_found);
  CHECK(refused.error().engine_status == 404);
}

TEST_CASE("EL03 what the state does not allow is a conflict, by the state and not by the text",
          "[docker][podman]") {
  EVERY_ENGINE(world);
  auto& engine = world.engine();
  const auto spec = world.shell("conflict", "sleep 300");
  const auto id = world.create(spec);
  CHECK(engine.create(spec).error().code == Errc::conflict);     // the name is taken
  CHECK(engine.kill(id, "HUP").error().code == Errc::conflict);  // it never ran
  must(engine.start(id));
  const auto refused = engine.remove(id, false, false);  // it runs
  REQUIRE(!refused);
  CHECK(refused.error().code == Errc::conflict);
  CHECK(!refused.error().engine_message.empty());
  CHECK(world.raw("POST", "/containers/" + id + "/pause").status == 204);
  CHECK(engine.start(id).error().code == Errc::conflict);  // it is paused
  must(engine.stop(id, 1s));                               // and can be stopped all the same
  CHECK(world.state(id) == "exited");
}

TEST_CASE("a command that is not there is the engine's refusal, not a missing container",
          "[docker][podman]") {
  EVERY_ENGINE(world);
  auto spec = world.shell("nocommand", "true");
  spec.command = std::vector<std::string>{"/does/not/exist"};
  const auto id = world.create(spec);
  const auto refused = world.engine().start(id);
  REQUIRE(!refused);
  CHECK(refused.error().code == Errc::engine_refused);
  CHECK(refused.error().engine_message.find("/does/not/exist") != std::string::npos);
}

TEST_CASE("an environment value is nowhere in what inspect answers", "[docker][podman]") {
  EVERY_ENGINE(world);
  auto spec = world.shell("secret", "sleep 300");
  spec.environment = {{"BERTH_SECRET", "hunter2-hunter2"}, {"EMPTY", ""}, {"EQUALS", "a=b"}};
  const auto id = world.run(spec);
  const auto seen = must(world.engine().inspect(id));
  CHECK(seen.document->dump().find("hunter2") == std::string::npos);
  CHECK(seen.document->dump().find("a=b") == std::string::npos);
  for (const auto* name : {"BERTH_SECRET", "EMPTY", "EQUALS"}) {
    CHECK(std::ranges::find(seen.environment, name) != seen.environment.end());
  }
}

TEST_CASE("what the spec says is what the engine made", "[docker][podman]") {
  EVERY_ENGINE(world);
  auto& engine = world.engine();
  const auto volume = world.name("vol");
  must(engine.ensure_volume(volume, {{"mesh-host.id", "web"}}));
  must(engine.ensure_volume(volume, {}));  // there already
  world.also_remove("/volumes/" + volume);
  CHECK(must(engine.volume(volume)).labels.at("mesh-host.id") == "web");
  auto spec = world.shell("whole", "sleep 300");
  spec.hostname = "made-by-hand";
  spec.user = "1000:1000";
  spec.working_dir = "/tmp";
  spec.restart = "on-failure:3";
  spec.volumes = {{"volume", volume, "/data", true, {}}, {"tmpfs", "", "/scratch", false, 65536}};
  spec.mem_limit = 64 << 20;
  spec.pids_limit = 77;
  spec.nano_cpus = 500'000'000;
  spec.ulimits["nofile"] = {512, 512};
  spec.ulimits["nproc"] = {512, 512};
  spec.read_only = true;
  spec.cap_drop = {"MKNOD", "NET_RAW"};
  spec.security_opt = {"no-new-privileges:true"};
  spec.stop_grace_s = 7;
  const auto id = world.run(spec);
  const auto seen = must(engine.inspect(id));
  const auto& config = seen.document->at("Config");
  const auto& host = seen.document->at("HostConfig");
  CHECK(config.at("Hostname") == "made-by-hand");
  CHECK(config.at("User") == "1000:1000");
  CHECK(config.at("WorkingDir") == "/tmp");
  CHECK(host.at("RestartPolicy").at("Name") == "on-failure");
  CHECK(host.at("RestartPolicy").at("MaximumRetryCount") == 3);
  CHECK(host.at("Memory") == 64 << 20);
  CHECK(host.at("MemorySwap") == 64 << 20);
  CHECK(host.at("PidsLimit") == 77);
  CHECK(host.at("ReadonlyRootfs") == true);
  CHECK(host.at("NetworkMode") == "none");
  bool mounted = false;
  for (const auto& mount : seen.summary.mounts) {
    mounted = mounted || (mount.type == "volume" && mount.source == volume && mount.target == "/data" &&
                          mount.read_only);
  }
  CHECK(mounted);
}

TEST_CASE("a published port and a further network are there", "[docker][podman]") {
  EVERY_ENGINE(world);
  auto& engine = world.engine();
  const auto first = world.name("net1"), second = world.name("net2");
  for (const auto& network : {first, second}) {
    must(engine.ensure_network(network, {{"mesh-host.id", "web"}}));
    must(engine.ensure_network(network, {}));
    world.also_remove("/networks/" + network);
  }
  CHECK(must(engine.network(first)).driver == "bridge");
  auto spec = world.shell("net", "sleep 300");
  spec.network_mode = "";
  spec.networks = {{first, {"one"}}, {second, {"two"}}};
  spec.ports = {{80, 0, "tcp", "127.0.0.1"}};
  const auto id = world.run(spec);
  const auto seen = must(engine.inspect(id)).summary;
  CHECK(seen.networks == std::vector<std::string>{first, second});
  REQUIRE(seen.ports.size() == 1);
  CHECK(seen.ports[0].host_ip == "127.0.0.1");
  CHECK(seen.ports[0].container_port == 80);
  CHECK(seen.ports[0].host_port > 0);
  const auto list = must(engine.list());
  REQUIRE(find(list, id) != nullptr);
  CHECK(find(list, id)->networks == seen.networks);
  REQUIRE(find(list, id)->ports.size() == 1);
  CHECK(find(list, id)->ports[0].host_port == seen.ports[0].host_port);
  must(engine.remove(id, true, true));
}

TEST_CASE("a container that could not join its second network is not left behind", "[docker][podman]") {
  EVERY_ENGINE(world);
  const auto network = world.name("only");
  must(world.engine().ensure_network(network, {}));
  world.also_remove("/networks/" + network);
  auto spec = world.shell("half", "sleep 300");
  spec.network_mode = "";
  spec.networks = {{network, {}}, {"bt-no-such-network", {}}};
  CHECK(!world.engine().create(spec));
  CHECK(world.engine().inspect(spec.name).error().code == Errc::not_found);
}

TEST_CASE("logs come from both streams in time order, long lines whole, the newest wanted",
          "[docker][podman]") {
  EVERY_ENGINE(world);
  auto& engine = world.engine();
  const std::string long_line =
      "x=0123456789; x=$x$x$x$x$x$x$x$x$x$x; x=$x$x$x$x$x$x$x$x$x$x; echo "
      "$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x${x}end";
  const auto id = world.run(world.shell(
      "logs", "echo one; sleep 1.2; echo two >&2; sleep 1.2; " + long_line + "; printf 'a\\377b\\n'"));
  REQUIRE(world.becomes(id, "exited"));
  auto logs = must(engine.logs(id, {}));
  REQUIRE(logs.lines.size() == 4);
  CHECK(!logs.truncated);
  CHECK(must(engine.logs(id, {3, "", ""})).truncated);
  CHECK_FALSE(must(engine.logs(id, {4, "", ""})).truncated);
  CHECK(logs.lines[0].text == "one");
  CHECK(logs.lines[0].stream == "stdout");
  CHECK(logs.lines[1].text == "two");
  CHECK(logs.lines[1].stream == "stderr");
  CHECK(logs.lines[2].text.size() == 20003);
  CHECK(logs.lines[3].text ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(std::ranges::is_sorted(logs.lines, {}, &eng::LogLine::at));
  CHECK(parse_rfc3339(logs.lines[0].at).ok());

  logs = must(engine.logs(id, {.tail = 3, .since = {}, .until = {}}));
  REQUIRE(logs.lines.size() == 3);
  CHECK(logs.lines[0].text == "two");
  logs = must(engine.logs(id, {.tail = 200, .since = logs.lines[1].at, .until = {}}));
  CHECK(logs.lines.size() == 2);
  CHECK(must(engine.logs(id, {.tail = 0, .since = {}, .until = {}})).lines.empty());
  CHECK(engine.logs(id, {.tail = 5, .since = "yesterday", .until = {}}).error().field == "since");
}

TEST_CASE("a terminal's output has no frames and reads all the same", "[docker][podman]") {
  EVERY_ENGINE(world);
  auto spec = world.shell("tty", "echo one; echo two");
  spec.tty = true;
  const auto id = world.run(spec);
  REQUIRE(world.becomes(id, "exited"));
  const auto logs = must(world.engine().logs(id, {}));
  REQUIRE(logs.lines.size() == 2);
  CHECK(logs.lines[0].text == "one");
  CHECK(logs.lines[1].text == "two");
}

TEST_CASE("stats have readings or none, and one that is gone takes nobody along", "[docker][podman]") {
  EVERY_ENGINE(world);
  const auto id = world.run(world.shell("stats", "while :; do :; done"));
  const auto rows = must(world.engine().stats({id, "bt-no-such-container"}));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].id == id);
  if (rows[0].cpu_percent) CHECK(*rows[0].cpu_percent > 1.0);
  if (rows[0].memory_bytes) CHECK(*rows[0].memory_bytes > 0);
  if (world.podman()) CHECK(rows[0].pids.has_value());
}

TEST_CASE("EV09 EV11 the stream of events is read until told to stop, and exec never shows",
          "[docker][podman]") {
  EVERY_ENGINE(world);
  auto& engine = world.engine();
  const auto since = system_clock().now();
  const auto id = world.run(world.shell("events", "sleep 300"));
  const auto exec = world.raw("POST", "/containers/" + id + "/exec", {{"Cmd", {"echo", "hunter2"}}});
  REQUIRE(exec.status == 201);
  world.raw("POST", "/exec/" + Json::parse(exec.body).at("Id").get<std::string>() + "/start",
            {{"Detach", true}});
  must(engine.stop(id, 0s));
  must(engine.remove(id, true, false));

  std::stop_source stop;
  std::vector<std::string> actions;
  std::string all;
  must(engine.events(since, stop.get_token(), [&](const eng::RawEvent& event) {
    if (event.id != id) return;
    actions.push_back(event.action);
    for (const auto& [key, value] : event.attributes) all += key + value;
    if (event.action == "destroy" || event.action == "remove") stop.request_stop();
  }));
  const auto place = [&](const char* action) { return std::ranges::find(actions, action); };
  CHECK(place("create") < place("start"));
  CHECK(place("start") < place("die"));
  CHECK(place("die") != actions.end());
  for (const auto& action : actions) CHECK(!action.starts_with("exec"));
  CHECK(all.find("hunter2") == std::string::npos);

  ::usleep(10'000);
  const auto window = must(engine.past_events(since, system_clock().now()));
  CHECK(std::ranges::count(window, id, &eng::RawEvent::id) == std::ssize(actions));
}

TEST_CASE("EL06 a stop that falls into a crash loop holds", "[docker][podman]") {
  EVERY_ENGINE(world);
  auto spec = world.shell("loop", "exit 1");
  spec.restart = "always";
  const auto id = world.run(spec);
  ::usleep(1'500'000);
  const auto stopped = world.engine().stop(id, 1s);
  ::usleep(1'500'000);
  const auto state = world.state(id);
  if (stopped)
    CHECK(state == "exited");
  else
    CHECK(stopped.error().code == Errc::conflict);
}

TEST_CASE("a container that removes itself at its end can be stopped", "[docker][podman]") {
  EVERY_ENGINE(world);
  auto spec = world.shell("self", "sleep 300");
  spec.auto_remove = true;
  const auto id = world.run(spec);
  must(world.engine().stop(id, 0s));
  bool gone = false;
  for (int i = 0; i < 100 && !gone; ++i) {
    ::usleep(50'000);
    gone = !world.engine().inspect(id);
  }
  CHECK(gone);
}

TEST_CASE("a changing call asks the seam first and is not sent when it says no", "[docker][podman]") {
  EVERY_ENGINE(world);
  const auto spec = world.shell("seam", "sleep 300");
  world.seam().fail_at("engine.create");
  CHECK(world.engine().create(spec).error().code == Errc::failed);
  CHECK(world.engine().inspect(spec.name).error().code == Errc::not_found);
  const auto id = world.create(spec);
  world.seam().fail_at("engine.start");
  CHECK(!world.engine().start(id));
  CHECK(world.state(id) == "created");
}

TEST_CASE("EL04 removals side by side all end well, and the name is free at once", "[docker][podman]") {
  EVERY_ENGINE(world);
  auto& engine = world.engine();
  const auto spec = world.shell("race", "sleep 300");
  const auto id = world.run(spec);
  std::vector<std::jthread> removers;
  std::atomic<int> bad = 0;
  for (int i = 0; i < 3; ++i) {
    removers.emplace_back([&] {
      const auto removed = engine.remove(id, true, false);
      if (!removed && removed.error().code != Errc::not_found) ++bad;
    });
  }
  removers.clear();
  CHECK(bad == 0);
  CHECK(engine.create(spec).ok());
}

TEST_CASE("a name is never a path: what looks like one is looked up as it is", "[docker][podman]") {
  EVERY_ENGINE(world);
  for (const auto* name : {"../info", "a/../../info", "x?all=1", "x%2f..", "x\r\ny", ".."}) {
    CAPTURE(name);
    CHECK(!world.engine().inspect(name));
  }
  CHECK(world.engine().image("../../info").error().code == Errc::bad_request);
}

}  // namespace berth::test
