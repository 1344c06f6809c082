#include "holder/engine/engine.h"
#include "tests/holder/engine/scripted_engine.h"
#include "tests/support/fakes.h"

// What happened to others on the engine's HTTP, against an engine that misbehaves as told.
namespace berth::test {
namespace {

using namespace std::chrono_literals;
using holder::engine::Engine;

Said nothing_more(const std::string&, const std::string&) { return {404, "{}"}; }

std::string row(const std::string& id, const std::string& state) {
  return R"({"Id":")" + id + R"(","Names":["/name-)" + id + R"("],"State":")" + state + R"(","Status":"x"})";
}

}  // namespace

TEST_CASE(
    "EH01 the API version is the newest that both speak, and an engine above or below ours is refused") {
  const auto spoken = [](const std::string& newest, const std::string& oldest) {
    return OpenedScript{"Engine", nothing_more, newest, oldest}.engine->info().api_version;
  };
  CHECK(spoken("1.41", "1.12") == "1.41");  // Docker 20.10, Podman
  CHECK(spoken("1.45", "1.24") == "1.45");  // Docker 26.1
  CHECK(spoken("1.51", "1.24") == "1.45");  // Docker 28.5
  CHECK(spoken("1.52", "1.44") == "1.45");  // one that has dropped 1.41
  CHECK(spoken("1.45", "1.45") == "1.45");
  const auto refused = [](const std::string& newest, const std::string& oldest) {
    const TempFolder folder;
    ScriptedSeam seam;
    const auto path = (folder / "engine.sock").native();
    ScriptedEngine peer{path, as_engine("Engine", nothing_more, newest, oldest)};
    const auto opened = Engine::open(path, {}, seam);
    return opened ? std::string{"opened"} : opened.error().detail;
  };
  CHECK(refused("1.40", "1.12").find("speaks API 1.12 to 1.40") != std::string::npos);
  CHECK(refused("1.60", "1.46").find("speaks API 1.46 to 1.60") != std::string::npos);
}

TEST_CASE("EH04 a list or an inspect that ends too early is an error, never a shorter list") {
  OpenedScript odd{"Engine", [](const std::string&, const std::string& path) -> Said {
                     if (path.starts_with("/containers/json"))
                       return {.body = "[" + row("a", "running") + "," + row("b", "running") + "]",
                               .cut = true};
                     return {.body = inspected_as("a", "running"), .cut = true};
                   }};
  const auto list = odd.engine->list();
  REQUIRE(!list);
  CHECK(list.error().code == Errc::engine_unreachable);
  CHECK(odd.engine->inspect("a").error().code == Errc::engine_unreachable);
}

TEST_CASE("EH05 an engine that comes back with another socket file is met by its path") {
  const TempFolder folder;
  ScriptedSeam seam;
  const auto path = (folder / "engine.sock").native();
  const auto script = as_engine("Engine", [](const std::string&, const std::string&) -> Said {
    return {200, "[]"};
  });
  auto peer = std::make_unique<ScriptedEngine>(path, script);
  auto engine = Engine::open(path, {}, seam);
  REQUIRE(engine.ok());
  CHECK((*engine)->list().ok());
  peer.reset();  // killed: the file stays and nobody listens
  CHECK((*engine)->list().error().code == Errc::engine_unreachable);
  std::filesystem::remove(path);  // stopped in order: no file
  CHECK((*engine)->list().error().code == Errc::engine_unreachable);
  peer = std::make_unique<ScriptedEngine>(path, script);
  CHECK((*engine)->list().ok());
}

TEST_CASE("EH07 EL14 one container that hangs keeps no other from the list, and stays in it") {
  OpenedScript odd{
      "Podman Engine", [](const std::string&, const std::string& path) -> Said {
        if (path.starts_with("/containers/json"))
          return {200,
                  "[" + row("a", "running") + "," + row("stuck", "running") + "," + row("b", "exited") + "]"};
        if (path.starts_with("/containers/stuck")) return {.body = "{}", .after = 8s};
        return {200, inspected_as(path.substr(12, 1), path.substr(12, 1) == "a" ? "running" : "exited", 3)};
      }};
  const auto began = std::chrono::steady_clock::now();
  const auto list = odd.engine->list();
  CHECK(std::chrono::steady_clock::now() - began < 8s);
  REQUIRE(list.ok());
  REQUIRE(list->size() == 3);
  CHECK(list->at(0).restarts == 3);
  CHECK(list->at(1).id == "stuck");
  CHECK(list->at(1).state == "running");
  CHECK(list->at(2).state == "exited");
}

TEST_CASE("EH07 one container that Podman cannot tell of any more keeps no other from the list, and stays in it") {
  OpenedScript odd{"Podman Engine", [](const std::string&, const std::string& path) -> Said {
                     if (path.starts_with("/containers/json"))
                       return {200, "[" + row("a", "running") + "," + row("odd", "exited") + "]"};
                     if (path.starts_with("/containers/odd"))
                       return {500, R"({"message":"network inspection mismatch: internal libpod error"})"};
                     return {200, inspected_as("a", "running", 3)};
                   }};
  const auto list = odd.engine->list();
  REQUIRE(list.ok());
  REQUIRE(list->size() == 2);
  CHECK(list->at(0).restarts == 3);
  CHECK(list->at(1).state == "exited");
}

TEST_CASE("a container whose process ends while Podman reads its files is asked for again, and not for ever") {
  for (const auto failures : {2, 100}) {
    CAPTURE(failures);
    std::atomic<int> asked{0};
    OpenedScript odd{"Podman Engine", [&](const std::string&, const std::string& path) -> Said {
                       if (!path.starts_with("/containers/a")) return {404, "{}"};
                       if (++asked <= failures) return {500, R"({"message":"read /proc/7/cgroup: no such process"})"};
                       return {200, inspected_as("a", "exited", 3)};
                     }};
    const auto one = odd.engine->inspect("a");
    CHECK(one.ok() == (failures == 2));
    CHECK(odd.peer.asked("GET /containers/a") <= 4);
    asked = 0;
    const auto all = odd.engine->inspect_all({"a", "gone"});
    REQUIRE(all.ok());
    REQUIRE(all->size() == 1);
    CHECK((all->at(0).document != nullptr) == (failures == 2));
    CHECK((all->at(0).error.find("no such process") != std::string::npos) == (failures == 100));
  }
}

TEST_CASE("disk usage that the engine counts for somebody else just now is asked for again") {
  std::atomic<int> asked{0};
  OpenedScript odd{"Engine", [&](const std::string&, const std::string& path) -> Said {
                     if (!path.starts_with("/system/df")) return {404, "{}"};
                     if (++asked < 3) return {500, R"({"message":"a disk usage operation is already running"})"};
                     return {200, R"({"LayersSize":100})"};
                   }};
  CHECK(odd.engine->disk_usage().ok());
  CHECK(asked == 3);
}

TEST_CASE("EH07 stats of one that hangs are a row without readings, and the others have theirs", "[.slow]") {
  OpenedScript odd{"Engine", [](const std::string&, const std::string& path) -> Said {
                     if (path.starts_with("/containers/stuck")) return {.body = "{}", .after = 9s};
                     return {200, R"({"id":"a","read":"2026-11-29T16:31:38Z","memory_stats":{"usage":100}})"};
                   }};
  const auto rows = odd.engine->stats({"a", "stuck"});
  REQUIRE(rows.ok());
  REQUIRE(rows->size() == 2);
  CHECK(rows->at(0).memory_bytes == 100);
  CHECK(rows->at(1).id == "stuck");
  CHECK(!rows->at(1).memory_bytes);
}

TEST_CASE("EH09 what the engine calls a bad filter is asked once and told as refused") {
  for (const auto status : {400, 500}) {
    CAPTURE(status);
    OpenedScript odd{"Engine", [&](const std::string&, const std::string&) -> Said {
                       return {status, R"({"message":"invalid filter"})"};
                     }};
    const auto list = odd.engine->list();
    REQUIRE(!list);
    CHECK(list.error().code == Errc::engine_refused);
    CHECK(list.error().engine_message == "invalid filter");
    CHECK(odd.peer.asked("GET /containers/json") == 1);
  }
}

}  // namespace berth::test
