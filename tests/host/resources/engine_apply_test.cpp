#include "host/resources/engine_apply.h"

#include "tests/host/resources/room.h"
#include "tests/support/fake_engine.h"

using namespace berth;
using namespace berth::host::resources;
using test::CutSeam;
using test::must;

namespace {

const std::string kPath = "/etc/docker/daemon.json";

Json daemon(const Json& into) { return {{"id", "daemon"}, {"type", "json"}, {"path", kPath}, {"into", into}}; }

/// A machine whose engine runs on daemon.json.
struct EngineRoom : test::Room {
  explicit EngineRoom(const std::optional<std::string>& file) {
    if (file) root.put(kPath, *file, 0640);
    units.add("docker.service", "active", "enabled");
    units.unit_files["docker.service"] = {{"/lib/systemd/system/docker.service",
        "[Service]\nExecStart=/usr/sbin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock\n"}};
    units.on_reload = [this] { engine.reload(); };
  }
  World world() {
    auto world = Room::world();
    world.path = &engine;
    return world;
  }
  Result<EngineOutcome> declare(const Json& into) {
    auto w = world();
    const auto edit = TRY(prepare_engine_edit(w, {}, {{"docker.daemon", daemon(into), found, applied}}));
    found = edit.found.at("docker.daemon");  // durable before the act
    declared = daemon(into);
    auto outcome = TRY(make_engine_edit(w, edit));
    applied = edit.applied.at("docker.daemon");
    return outcome;
  }
  Result<EngineOutcome> give_back(bool resumed = false) {
    auto w = world();
    return make_engine_edit(w, TRY(prepare_engine_edit(w, {{"docker.daemon", declared, found, applied, resumed}}, {})));
  }
  std::string file() const { return root.has(kPath) ? root.read(kPath) : "(none)"; }

  test::FakeEngine engine{root.at(kPath), clock, seam};
  Json declared, found, applied;
};

std::string refusal(const Result<EngineOutcome>& outcome) { return outcome ? "done" : outcome.error().detail; }

const Json kBoth = {{"live-restore", true}, {"insecure-registries", {"r:5000"}}};

}  // namespace

TEST_CASE("an edit is one write and one reload, confirmed by the engine, and nothing the second time") {
  EngineRoom room{"{\"debug\": false}\n"};
  const auto outcome = must(room.declare(kBoth));
  CHECK(outcome.changed);
  CHECK(outcome.reloaded);
  CHECK(room.engine.reloads == 1);
  CHECK(room.engine.view.live_restore);
  CHECK(room.file() == "{\"debug\": false, \"insecure-registries\": [\"r:5000\"], \"live-restore\": true}\n");
  CHECK_FALSE(must(room.declare(kBoth)).changed);
  CHECK(room.engine.reloads == 1);
  CHECK_FALSE(room.root.has("/var/lib/berth/engine-file.undo"));
}

TEST_CASE("DJ12 giving back reloads on false and [] first, so that the engine holds nothing of ours") {
  EngineRoom room{"{\"debug\": false}\n"};
  must(room.declare(kBoth));
  must(room.give_back());
  CHECK(room.file() == "{\"debug\": false}\n");
  CHECK_FALSE(room.engine.view.live_restore);
  CHECK(room.engine.view.insecure_registries.empty());
  CHECK(room.engine.seen_files.back() == "{\"debug\": false, \"insecure-registries\": [], \"live-restore\": false}\n");
}

TEST_CASE("DJ14 a reload that the engine refuses without a word is an error, and all is as it was") {
  for (const bool had_file : {true, false}) {
    EngineRoom room{had_file ? std::optional{"{\"x\":1.0}"} : std::nullopt};
    const auto before = room.root.tree();
    room.engine.on_reload = [](test::FakeEngine& engine, const Json& file) {
      engine.refuses = file.contains("insecure-registries") && !file["insecure-registries"].empty();
    };
    room.units.journal = "time=\"2026\" level=info msg=\"Got signal to reload\"\n"
                         "time=\"2026\" level=error msg=\"unable to configure the Docker daemon: invalid \\\"x\\\"\"\nnext\n";
    const auto outcome = room.declare(kBoth);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::engine_refused);
    CHECK(outcome.error().detail.find("it said: unable to configure the Docker daemon: invalid") != std::string::npos);
    CHECK(outcome.error().fields == std::vector<std::string>{"live-restore", "insecure-registries"});
    CHECK(outcome.error().detail.find("no reload event") != std::string::npos);
    CHECK(outcome.error().detail.find("put back") != std::string::npos);
    std::filesystem::remove_all(room.root.at("/var"));
    CHECK(room.root.tree() == before);
  }
}

TEST_CASE("DJ14 half taken is a failure that names the key, and what was taken is taken back") {
  EngineRoom room{"{}"};
  room.engine.takes_live_restore = false;
  const auto outcome = room.declare(kBoth);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().fields == std::vector<std::string>{"live-restore"});
  CHECK(room.file() == "{}");
  CHECK(room.engine.view.insecure_registries.empty());
}

TEST_CASE("a refused reload that flips live-restore, as Docker 20.10 does, is set right again") {
  EngineRoom room{"{\"live-restore\": true}"};
  room.engine.view.live_restore = true;
  room.engine.on_reload = [](test::FakeEngine& engine, const Json& file) {
    engine.refuses = file.contains("insecure-registries") && !file["insecure-registries"].empty();
    if (engine.refuses) engine.view.live_restore = false;
  };
  REQUIRE_FALSE(room.declare({{"insecure-registries", {"r:5000"}}}));
  CHECK(room.file() == "{\"live-restore\": true}");
  CHECK(room.engine.view.live_restore);
}

TEST_CASE("DJ11 dns and log-opts are told as waiting for the engine's next start, with what it would stop") {
  EngineRoom room{"{}"};
  room.engine.containers.push_back({.id = "1", .name = "web", .image = "i", .state = "running", .assignment = "", .pid = 7,
                                    .started_at = ""});
  const auto outcome = must(room.declare({{"dns", {"10.0.0.2"}}, {"log-opts", {{"max-size", "5m"}}}}));
  CHECK(outcome.detail == "dns, log-opts: waiting for the engine's next start, which would stop web");
  const auto later = must(room.declare({{"dns", {"10.0.0.2"}}, {"log-opts", {{"max-size", "5m"}}}}));
  CHECK_FALSE(later.changed);
  CHECK(later.detail == outcome.detail);
  room.engine.view.live_restore = true;
  CHECK(must(room.declare({{"dns", {"10.0.0.3"}}})).detail.find("keeps the containers running") != std::string::npos);
  room.units.unit("docker.service").started_us = 4'000'000'000'000'000;  // it was started since
  CHECK(must(room.declare({{"dns", {"10.0.0.3"}}})).detail.empty());
}

TEST_CASE("DJ01 a key that the unit passes as a flag is refused with flag and file, before a byte is written") {
  EngineRoom room{"{}"};
  room.units.unit_files["docker.service"].push_back({"/etc/systemd/system/docker.service.d/10.conf",
      "[Service]\nExecStart=\nExecStart=/usr/sbin/dockerd -H fd:// --insecure-registry=x:5000\n"});
  const auto outcome = room.declare(kBoth);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == Errc::flag_conflict);
  CHECK(outcome.error().fields == std::vector<std::string>{"insecure-registries"});
  CHECK(outcome.error().detail.find("--insecure-registry (x:5000) in /etc/systemd/system/docker.service.d/10.conf") !=
        std::string::npos);
  CHECK(room.file() == "{}");
  CHECK(room.engine.reloads == 0);
}

TEST_CASE("DJ02 equal values in flag and file are a conflict too") {
  EngineRoom room{"{\"live-restore\": true}"};
  room.root.put("/etc/default/docker", "# set by hand\nDOCKER_OPTS=\"--live-restore --debug\"\n");
  room.units.unit_files["docker.service"] = {{"/lib/systemd/system/docker.service",
      "[Service]\nEnvironmentFile=-/etc/default/docker\nExecStart=/usr/sbin/dockerd -H fd:// $DOCKER_OPTS\n"}};
  const auto outcome = room.declare({{"live-restore", true}});
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == Errc::flag_conflict);
  CHECK(outcome.error().detail.find("/etc/default/docker") != std::string::npos);
}

TEST_CASE("an engine that reads another file is not edited behind its back") {
  EngineRoom room{"{}"};
  room.units.unit_files["docker.service"] = {{"/lib/systemd/system/docker.service",
      "[Service]\nExecStart=/usr/sbin/dockerd --config-file /srv/engine.json\n"}};
  CHECK(refusal(room.declare(kBoth)).find("/srv/engine.json") != std::string::npos);
}

TEST_CASE("DJ15 live-restore on a member of a swarm is refused: the engine would not start again") {
  EngineRoom room{"{}"};
  room.root.put("/var/lib/docker/swarm/docker-state.json", "{}");
  const auto outcome = room.declare({{"live-restore", true}});
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().field == "live-restore");
  CHECK(room.file() == "{}");
  EngineRoom moved{"{\"data-root\": \"/srv/d\"}"};
  moved.root.put("/srv/d/swarm/docker-state.json", "{}");
  CHECK_FALSE(moved.declare({{"live-restore", true}}));
}

TEST_CASE("DJ10 a log option that breaks every later container is refused before it is written") {
  for (const auto& into : {Json{{"log-opts", {{"max-size", "tenm"}}}}, Json{{"log-opts", {{"nonesuch", "1"}}}},
                           Json{{"log-driver", "local"}, {"log-opts", {{"labels", "x"}}}},
                           Json{{"log-opts", {{"max-file", "0"}}}}}) {
    EngineRoom room{"{}"};
    CAPTURE(into.dump());
    CHECK(refusal(room.declare(into)).find("would not start") != std::string::npos);
    CHECK(room.file() == "{}");
  }
}

TEST_CASE("DJ08 a number among the log-opts of the file is left alone and named") {
  EngineRoom room{"{\"log-opts\": {\"max-file\": 3}}"};
  CHECK(refusal(room.declare({{"live-restore", true}})).find("log-opts is not of the shape") != std::string::npos);
  CHECK(room.file() == "{\"log-opts\": {\"max-file\": 3}}");
}

TEST_CASE("DJ05 a file that no engine would start with is refused with line and column, and not touched") {
  EngineRoom room{"{\n  \"debug\": true,\n}\n"};
  const auto outcome = room.declare(kBoth);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == Errc::unparsable);
  CHECK(outcome.error().detail.find("daemon.json:3:1 ") != std::string::npos);
  CHECK(room.file() == "{\n  \"debug\": true,\n}\n");
}

TEST_CASE("DJ21 where the engine does not run, or does not answer, nothing is claimed") {
  EngineRoom stopped{"{}"};
  stopped.units.unit("docker.service").active = "inactive";
  CHECK(must(stopped.declare(kBoth)).detail.find("takes the file at its start") != std::string::npos);
  CHECK(stopped.engine.reloads == 0);
  EngineRoom silent{"{}"};
  silent.engine.down = true;
  CHECK(silent.declare(kBoth).error().code == Errc::holder_silent);
  CHECK(silent.file() == "{}");
  auto world = silent.world();
  world.path = nullptr;
  const auto edit = must(prepare_engine_edit(world, {}, {{"docker.daemon", daemon(kBoth), nullptr, nullptr}}));
  CHECK(make_engine_edit(world, edit).error().code == Errc::engine_unreachable);
}

TEST_CASE("an engine that lost a value, its file still right, is reloaded without a write") {
  EngineRoom room{"{}"};
  must(room.declare(kBoth));
  room.engine.view.live_restore = false;
  const auto outcome = must(room.declare(kBoth));
  CHECK(outcome.reloaded);
  CHECK(room.engine.view.live_restore);
}

TEST_CASE("a file that somebody changed between plan and write is not overwritten") {
  EngineRoom room{"{}"};
  auto world = room.world();
  const auto edit = must(prepare_engine_edit(world, {}, {{"docker.daemon", daemon(kBoth), nullptr, nullptr}}));
  room.root.put(kPath, "{\"theirs\": 1}");
  CHECK(make_engine_edit(world, edit).error().code == Errc::drift);
  CHECK(room.file() == "{\"theirs\": 1}");
}

TEST_CASE("registries are compared as the engine says them") {
  EngineRoom room{"{\"insecure-registries\": [\"http://own:1\", \"127.0.0.0/8\"]}"};
  room.engine.on_reload = [](test::FakeEngine& engine, const Json&) { engine.view.insecure_registries = {}; };
  room.units.on_reload = [&] {
    room.engine.reload();
    room.engine.view.insecure_registries = {"own:1", "10.1.0.0/16"};
  };
  CHECK(must(room.declare({{"insecure-registries", {"10.1.2.3/16", "127.0.0.0/8"}}})).reloaded);
}

TEST_CASE("a crash at any act of an apply or a give back: the next run ends where an undisturbed one does") {
  for (const std::optional<std::string>& by_hand : {std::optional<std::string>{"{\"debug\":false}"}, std::optional<std::string>{}}) {
    std::string applied_file;
    {
      EngineRoom room{by_hand};
      must(room.declare(kBoth));
      applied_file = room.file();
    }
    int cut = 1;
    for (bool died = true; died; ++cut) {
      EngineRoom room{by_hand};
      CAPTURE(cut, by_hand.value_or("(none)"));
      room.seam.die_at = cut;
      died = false;
      try {
        must(room.declare(kBoth));
        must(room.give_back());
      } catch (const CutSeam::Died&) {
        died = true;
      }
      CAPTURE(room.seam.acts);
      room.seam.calm();
      const bool was_giving_back = room.applied.is_object();
      if (!was_giving_back) {
        must(room.declare(kBoth));
        CHECK(room.file() == applied_file);
        CHECK(room.engine.view.live_restore);
      }
      must(room.give_back(true));
      CHECK(room.file() == by_hand.value_or("(none)"));
      CHECK_FALSE(room.engine.view.live_restore);
      CHECK(room.engine.view.insecure_registries.empty());
      CHECK_FALSE(room.root.has("/var/lib/berth/engine-file.undo"));
      if (by_hand) CHECK(std::distance(std::filesystem::directory_iterator{room.root.at("/etc/docker")}, {}) == 1);
      else CHECK_FALSE(room.root.has("/etc/docker"));
    }
    CHECK(cut > 20);
  }
}

TEST_CASE("an act that fails at any place leaves the file as it was before that apply, or says that it could not") {
  int cut = 1;
  for (bool failed = true; failed; ++cut) {
    EngineRoom room{"{\"debug\":false}"};
    room.seam.fail_at = cut;
    const auto outcome = room.declare(kBoth);
    failed = !outcome.ok();
    CAPTURE(cut, room.seam.acts, refusal(outcome));
    if (failed) CHECK((room.file() == "{\"debug\":false}" || outcome.error().detail.find("put back") != std::string::npos));
  }
  CHECK(cut > 10);
}

TEST_CASE("a json resource of another file is edited the same way, without an engine") {
  test::Room room;
  auto world = room.world();
  room.root.put("/etc/app.json", "{\n\t\"a\": 1\n}\n");
  const Json declared = {{"id", "x"}, {"type", "json"}, {"path", "/etc/app.json"}, {"into", {{"any", {{"k", 1}}}, {"l", {1}}}}};
  const auto& json = test::type("json");
  const auto before = room.root.tree();
  const auto found = must(json.read(world, declared));
  const auto acted = must(json.apply(world, declared, found, nullptr));
  CHECK(room.root.read("/etc/app.json") == "{\n\t\"a\": 1,\n\t\"any\": {\"k\": 1},\n\t\"l\": [1]\n}\n");
  CHECK_FALSE(must(json.apply(world, declared, found, acted.applied)).changed);
  must(json.give_back(world, declared, found, acted.applied));
  CHECK(room.root.tree() == before);
  auto made = declared;
  made["path"] = "/etc/new/deep/app.json";
  const auto nothing = must(json.read(world, made));
  const auto created = must(json.apply(world, made, nothing, nullptr));
  CHECK(created.action == "created");
  must(json.give_back(world, made, nothing, created.applied));
  CHECK(room.root.tree() == before);
}

TEST_CASE("the engine's file is known by another spelling of its path and through a link") {
  EngineRoom room{"{}"};
  auto world = room.world();
  std::filesystem::create_symlink("docker/daemon.json", room.root.at("/etc/link.json"));
  const auto is = [&](const char* path) { return is_of_engine_file(world, {{"type", "json"}, {"path", path}}); };
  CHECK(is("/etc/docker/daemon.json"));
  CHECK(is("/etc//docker/./daemon.json"));
  CHECK(is("/etc/link.json"));
  CHECK_FALSE(is("/etc/other.json"));
  CHECK_FALSE(is_of_engine_file(world, {{"type", "file"}, {"path", kPath}}));
}
