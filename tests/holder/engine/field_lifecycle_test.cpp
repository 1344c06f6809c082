#include "holder/engine/parse.h"
#include "tests/holder/engine/engine_world.h"
#include "tests/holder/engine/scripted_engine.h"

// What happened to others when containers were started, stopped and removed: on real engines, and on one of
// our own making where a real one cannot be brought to it.
namespace berth::test {
namespace {

using namespace std::chrono_literals;
using holder::engine::Engine;

bool is_inspect(const std::string& method, const std::string& path) {
  return method == "GET" && path.ends_with("/json");
}

}  // namespace

TEST_CASE("EL01 after a start that failed on a taken port the name is free again at once",
          "[docker][podman]") {
  EVERY_ENGINE(world);
  auto& engine = world.engine();
  const auto network = world.name("ports");
  must(engine.ensure_network(network, {}));
  world.also_remove("/networks/" + network);
  const auto published = [&](const std::string& what) {
    auto spec = world.shell(what, "sleep 300");
    spec.network_mode = "";
    spec.networks = {{network, {}}};
    spec.ports = {{80, 28'080, "tcp", "127.0.0.1"}};
    return spec;
  };
  const auto first = world.run(published("first"));
  const auto spec = published("second");
  for (int i = 0; i < 2; ++i) {
    const auto id = world.create(spec);
    const auto refused = engine.start(id);
    REQUIRE(!refused);
    CHECK(refused.error().code == Errc::engine_refused);
    CHECK(!refused.error().engine_message.empty());
    CHECK(world.state(id) != "running");
    must(engine.remove(id, true, false));
  }
  must(engine.remove(first, true, false));
  const auto id = world.run(spec);
  CHECK(world.state(id) == "running");
  must(engine.remove(id, true, false));
}

TEST_CASE("EL04 a removal that is underway is waited for, and is success once it is over") {
  int inspects = 0;
  OpenedScript scripted{"Engine", [&](const std::string& method, const std::string& path) -> Said {
                          if (method == "DELETE")
                            return {409, R"({"message":"removal of container a is already in progress"})"};
                          if (!is_inspect(method, path)) return {404, "{}"};
                          return ++inspects < 4 ? Said{200, inspected_as("a", "removing")} : Said{404, "{}"};
                        }};
  CHECK(scripted.engine->remove("a", true, false).ok());
  CHECK(scripted.peer.asked("DELETE") == 1);
}

TEST_CASE("EL04 a removal that failed behind the container is success, one that left it there is none") {
  for (const bool gone : {true, false}) {
    OpenedScript scripted{"Podman Engine", [&](const std::string& method, const std::string& path) -> Said {
                            if (method == "DELETE")
                              return {500, R"({"message":"cleaning up container a: netavark: remove aardvark entries"})"};
                            return gone || !is_inspect(method, path) ? Said{404, "{}"} : Said{200, inspected_as("a", "exited")};
                          }};
    CHECK(scripted.engine->remove("a", false, false).ok() == gone);
  }
}

TEST_CASE("a forced removal that loses to the container's own restart is asked for again, and of no other") {
  const auto revived = [](const char* policy, int& removals) {
    return [policy, &removals](const std::string& method, const std::string& path) -> Said {
      if (method == "DELETE")
        return ++removals < 3 ? Said{500, R"({"message":"cannot remove container: container state improper: stopped"})"}
                              : Said{204};
      if (!is_inspect(method, path)) return {404, "{}"};
      auto body = inspected_as("a", "exited", 1);
      body.replace(body.find(R"("Name":"no")"), 11, std::string{R"("Name":")"} + policy + "\"");
      return {200, body};
    };
  };
  int removals = 0;
  OpenedScript loop{"Podman Engine", revived("always", removals)};
  CHECK(loop.engine->remove("a", true, false).ok());
  CHECK(removals == 3);
  for (const bool force : {true, false}) {
    int once = 0;
    OpenedScript other{"Podman Engine", revived(force ? "no" : "always", once)};
    CHECK(!other.engine->remove("a", force, false));
    CHECK(once == 1);
  }
}

TEST_CASE("EL05 a start that is answered with 304 while a removal runs is no success") {
  for (const auto* state : {"removing", "dead", "exited"}) {
    CAPTURE(state);
    OpenedScript scripted{"Engine", [&](const std::string& method, const std::string& path) -> Said {
                            return is_inspect(method, path) ? Said{200, inspected_as("a", state)} : Said{304};
                          }};
    CHECK(scripted.engine->start("a").error().code == Errc::conflict);
  }
  OpenedScript gone{"Engine", [](const std::string& method, const std::string& path) -> Said {
                      return is_inspect(method, path) ? Said{404, "{}"} : Said{304};
                    }};
  CHECK(gone.engine->start("a").error().code == Errc::not_found);
  OpenedScript runs{"Engine", [](const std::string& method, const std::string& path) -> Said {
                      return is_inspect(method, path) ? Said{200, inspected_as("a", "running")} : Said{304};
                    }};
  CHECK(runs.engine->start("a").ok());
}

TEST_CASE("EL06 a stop that the engine calls done is asked again while the container goes on") {
  int restarts = 0;
  OpenedScript podman{"Podman Engine", [&](const std::string& method, const std::string& path) -> Said {
                        if (!is_inspect(method, path)) return {304};
                        auto body = inspected_as("a", "exited",
                                                 ++restarts);  // not running, and started again all the time
                        body.replace(body.find(R"("Name":"no")"), 11, R"("Name":"always")");
                        return {200, body};
                      }};
  CHECK(podman.engine->stop("a", 1s).error().code == Errc::conflict);
  CHECK(podman.peer.asked("POST /containers/a/stop") == 3);
  OpenedScript docker{"Engine", [&](const std::string& method, const std::string& path) -> Said {
                        return is_inspect(method, path) ? Said{200, inspected_as("a", "running")} : Said{204};
                      }};
  CHECK(docker.engine->stop("a", 1s).error().code == Errc::conflict);
}

TEST_CASE("EL08 a paused container is stopped and restarted, whatever its engine thinks of that",
          "[docker][podman]") {
  EVERY_ENGINE(world);
  const auto id = world.run(world.shell("paused", "sleep 300"));
  const auto pause = [&] { REQUIRE(world.raw("POST", "/containers/" + id + "/pause").status == 204); };
  pause();
  CHECK(world.engine().start(id).error().code == Errc::conflict);
  must(world.engine().restart(id, 0s));
  CHECK(world.state(id) == "running");
  pause();
  must(world.engine().stop(id, 0s));
  CHECK(world.state(id) == "exited");
}

TEST_CASE("EL09 a stop waits for the grace it gives, and the end is then a kill's", "[docker][podman]") {
  EVERY_ENGINE(world);
  const auto id = world.run(world.shell("grace", "trap '' TERM; while :; do sleep 0.1; done"));
  ::usleep(300'000);
  const auto began = std::chrono::steady_clock::now();
  must(world.engine().stop(id, 2s));
  CHECK(std::chrono::steady_clock::now() - began >= 1900ms);
  CHECK(must(world.engine().inspect(id)).summary.exit_code == 137);
}

TEST_CASE("EL09 an act whose answer does not come in time is not sent again") {
  const TempFolder folder;
  const auto path = (folder / "engine.sock").native();
  ScriptedEngine peer{
      path, [](const std::string&, const std::string&) -> Said { return {.body = "{}", .after = 600ms}; }};
  holder::engine::Transport transport{path};
  const auto answer =
      transport.change({.method = "POST", .target = "/v1.41/containers/a/stop?t=1", .limit = 200ms});
  REQUIRE(!answer);
  CHECK(answer.error().code == Errc::timeout);
  CHECK(answer.error().detail.find("unknown") != std::string::npos);
  ::usleep(700'000);
  CHECK(peer.asked("POST") == 1);
}

TEST_CASE("EL11 a restart loop shows in the number of restarts, whatever its state is called",
          "[docker][podman]") {
  EVERY_ENGINE(world);
  auto spec = world.shell("again", "exit 1");
  spec.restart = "always";
  const auto id = world.run(spec);
  std::int64_t restarts = 0;
  for (int i = 0; i < 100 && restarts < 2; ++i) {
    const auto seen = must(world.engine().inspect(id)).summary;
    CHECK((seen.state == "restarting" || seen.state == "running" || seen.state == "exited"));
    restarts = seen.restarts.value_or(0);
    ::usleep(100'000);
  }
  CHECK(restarts >= 2);
  must(world.engine().remove(id, true, false));
}

TEST_CASE("EL13 dead and removing are states of their own in list and inspect") {
  for (const auto* state : {"dead", "removing"}) {
    CAPTURE(state);
    const auto list =
        holder::engine::parse_list(std::string{R"([{"Id":"a","Names":["/a"],"State":")"} + state + R"("}])");
    REQUIRE(list.ok());
    CHECK(list->front().state == state);
    CHECK(holder::engine::parse_inspect(inspected_as("a", state))->summary.state == state);
  }
  OpenedScript lasting{"Engine", [](const std::string& method, const std::string& path) -> Said {
                         if (is_inspect(method, path)) return {200, inspected_as("a", "dead")};
                         return {409, R"({"message":"marked for removal"})"};
                       }};
  CHECK(lasting.engine->start("a").error().code == Errc::conflict);
}

TEST_CASE("EL23 a create that the engine calls malformed is not sent again, and not taken for a taken name") {
  OpenedScript scripted{
      "Engine", [](const std::string& method, const std::string& path) -> Said {
        return is_inspect(method, path) ? Said{404, "{}"} : Said{500, R"({"message":"unexpected EOF"})"};
      }};
  holder::client::ContainerSpec spec;
  spec.name = "a";
  spec.image = "i";
  const auto created = scripted.engine->create(spec);
  REQUIRE(!created);
  CHECK(created.error().code == Errc::engine_refused);
  CHECK(created.error().engine_status == 500);
  CHECK(scripted.peer.asked("POST /containers/create") == 1);
}

}  // namespace berth::test
