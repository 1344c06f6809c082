#include <future>
#include <thread>

#include "base/guarded.h"
#include "holder/engine/log_bounds.h"
#include "holder/engine/log_lines.h"
#include "tests/holder/engine/engine_world.h"

// What happened to others with logs, on every real engine.
namespace berth::test {
namespace {

using namespace std::chrono_literals;
using holder::engine::LogLine;
using holder::engine::LogQuery;

std::vector<LogLine> lines_of(EngineWorld& world, const holder::client::ContainerSpec& spec,
                              const LogQuery& query = {}) {
  const auto id = world.run(spec);
  REQUIRE(world.becomes(id, "exited"));
  return must(world.engine().logs(id, query)).lines;
}

/// x of so many bytes, and a newline.
std::string prints(int bytes) {
  return "busybox head -c " + std::to_string(bytes) + " /dev/zero | busybox tr '\\0' x; echo; ";
}

}  // namespace

TEST_CASE("LG01 with a terminal or without, what was written is what is read", "[docker][podman]") {
  EVERY_ENGINE(world);
  for (const bool terminal : {false, true}) {
    CAPTURE(terminal);
    auto spec = world.shell(terminal ? "tty" : "pipe", "echo one; echo two >&2; printf 'three'");
    spec.tty = terminal;
    std::vector<std::string> texts;
    for (const auto& line : lines_of(world, spec)) texts.push_back(line.text);
    std::ranges::sort(texts);
    CHECK(texts == std::vector<std::string>{"one", "three", "two"});
  }
}

TEST_CASE("LG03 a line longer than an engine's piece is one line, at every length around a piece's",
          "[docker][podman]") {
  EVERY_ENGINE(world);
  const std::vector<int> lengths = {4095, 4096, 8192, 16383, 16384, 16385, 32768, 40000};
  std::string script;
  for (const auto length : lengths) script += prints(length);
  const auto lines = lines_of(world, world.shell("long", script));
  std::vector<int> read;
  for (const auto& line : lines) {
    read.push_back(static_cast<int>(line.text.size()));
    CHECK(line.text.find_first_not_of('x') == std::string::npos);  // no stamp is left inside
  }
  CHECK(read == lengths);
}

TEST_CASE("LG04 bytes that are no text hide no other line and make no bad document", "[docker][podman]") {
  EVERY_ENGINE(world);
  // é across the border of a piece of 8192 bytes; and bytes that are no UTF-8 at all.
  const auto lines = lines_of(
      world,
      world.shell(
          "bytes",
          "echo before; printf 'a\\377\\376b\\n'; busybox head -c 8191 /dev/zero | busybox tr '\\0' x; "
          "printf '\\303\\251\\n'; echo after"));
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].text == "before");
  CHECK(lines[1].text ==
        "a\xEF\xBF\xBD\xEF\xBF\xBD"
        "b");
  CHECK(lines[2].text.size() == 8193);
  CHECK(lines[2].text.ends_with("\xC3\xA9"));
  CHECK(lines[3].text == "after");
  CHECK_NOTHROW(Json(lines[1].text).dump());
}

TEST_CASE("LG06 asked again from the last stamp, no line is lost and only lines of that stamp come again",
          "[docker][podman]") {
  EVERY_ENGINE(world);
  const auto id =
      world.run(world.shell("resume", "for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.05; done"));
  REQUIRE(world.becomes(id, "exited"));
  const auto all = must(world.engine().logs(id, {})).lines;
  REQUIRE(all.size() == 8);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto rest = must(world.engine().logs(id, {.tail = 200, .since = all[i].at, .until = {}})).lines;
    // Some engines stamp by the second: then all lines of that second come again, and no other.
    std::vector<std::string> wanted, read;
    for (const auto& line : all) {
      if (line.at >= all[i].at) wanted.push_back(line.text);
    }
    for (const auto& line : rest) read.push_back(line.text);
    CHECK(read == wanted);
  }
}

TEST_CASE("LG07 lines of both streams come in the order of their stamps", "[docker][podman]") {
  EVERY_ENGINE(world);
  const auto lines =
      lines_of(world, world.shell("order", "for i in 1 2 3 4 5 6; do echo o$i; echo e$i >&2; done"));
  CHECK(lines.size() == 12);
  CHECK(std::ranges::is_sorted(lines, {}, &LogLine::at));
  std::string out, err;
  for (const auto& line : lines) (line.stream == "stdout" ? out : err) += line.text;
  CHECK(out == "o1o2o3o4o5o6");  // within one stream, as written
  CHECK(err == "e1e2e3e4e5e6");
}

TEST_CASE("LG09 a log that its driver does not keep is an error that names the driver, never an empty log",
          "[docker][podman]") {
  EVERY_ENGINE(world);
  auto spec = world.shell("nolog", "echo unseen");
  spec.logging_driver = "none";
  const auto id = world.run(spec);
  REQUIRE(world.becomes(id, "exited"));
  const auto logs = world.engine().logs(id, {});
  REQUIRE(!logs);
  CHECK(logs.error().code == Errc::engine_refused);
  CHECK(logs.error().detail.find("none") != std::string::npos);
}

namespace {

/// Follows on a thread of its own, and keeps what it hears.
class LogFollower {
 public:
  LogFollower(EngineWorld& world, const std::string& id, const std::string& since)
      : thread_{[this, &world, id, since](std::stop_token stop) {
          const auto ended = world.engine().follow_logs(id, since, std::move(stop), [this](const LogLine& line) {
            heard_.with([&](auto& all) { all.push_back(line.text); });
          });
          ended_.set_value(ended ? "ok" : ended.error().detail);
        }} {}

  std::vector<std::string> heard() {
    return heard_.with([](const auto& all) { return all; });
  }
  bool hears(std::size_t lines) {
    for (int i = 0; i < 800 && heard().size() < lines; ++i) ::usleep(25'000);
    return heard().size() >= lines;
  }
  void ask_to_end() { thread_.request_stop(); }
  /// "ok", the error, or "still there".
  std::string end_within(std::chrono::seconds bound) {
    return result_.wait_for(bound) == std::future_status::ready ? result_.get() : "still there";
  }

 private:
  Guarded<std::vector<std::string>> heard_;
  std::promise<std::string> ended_;
  std::future<std::string> result_ = ended_.get_future();
  std::jthread thread_;
};

/// Says nothing until the file is there that `speak` makes in it.
constexpr const char* kSilent = "while ! [ -e /tmp/speak ]; do sleep 0.1; done; echo spoken; sleep 300";

void speak(EngineWorld& world, const std::string& id) {
  const auto exec = world.raw("POST", "/containers/" + id + "/exec", {{"Cmd", {"sh", "-c", "echo > /tmp/speak"}}});
  REQUIRE(exec.status == 201);
  world.raw("POST", "/exec/" + Json::parse(exec.body).at("Id").get<std::string>() + "/start", {{"Detach", true}});
}

void follows_what_is_silent(EngineWorld& world, std::chrono::seconds silence) {
  const auto id = world.run(world.shell("silent", kSilent));
  LogFollower follower{world, id, ""};
  std::this_thread::sleep_for(silence);
  CHECK(follower.heard().empty());
  speak(world, id);
  CHECK(follower.hears(1));
  CHECK(follower.heard() == std::vector<std::string>{"spoken"});
  follower.ask_to_end();
  CHECK(follower.end_within(5s) == "ok");
}

}  // namespace

TEST_CASE("LG10 the log of a container that says nothing is followed until it does, and left before it does",
          "[docker][podman]") {
  EVERY_ENGINE(world);
  follows_what_is_silent(world, 3s);
  // Podman sends not even a header until there is a line.
  const auto id = world.run(world.shell("mute", "sleep 300"));
  LogFollower follower{world, id, ""};
  std::this_thread::sleep_for(500ms);
  follower.ask_to_end();
  CHECK(follower.end_within(5s) == "ok");
  CHECK(follower.heard().empty());
}

TEST_CASE("LG10 a log that is silent for longer than any bound of a call is followed all the same",
          "[.slow][docker][podman]") {
  EVERY_ENGINE(world);
  follows_what_is_silent(world, 45s);
}

TEST_CASE("LG12 a log followed from when its container started has every line, also those before it was followed",
          "[docker][podman]") {
  EVERY_ENGINE(world);
  const auto id = world.run(world.shell("early", "echo one; echo two; sleep 1; echo three; sleep 300"));
  for (int i = 0; i < 200 && must(world.engine().logs(id, {})).lines.size() < 2; ++i) ::usleep(25'000);
  LogFollower follower{world, id, must(world.engine().inspect(id)).summary.started_at};
  REQUIRE(follower.hears(3));
  CHECK(follower.heard() == std::vector<std::string>{"one", "two", "three"});
  follower.ask_to_end();
  CHECK(follower.end_within(5s) == "ok");
}

TEST_CASE("LG12 asked from its start, a run's log begins at the end of the run before, at most a second early") {
  using holder::engine::since_meant;
  holder::engine::Summary c;
  const auto meant = [&](const char* since) { return must(since_meant(since, c)); };
  CHECK(meant("2026-11-29T10:00:05Z") == "2026-11-29T10:00:05Z");  // it never started
  c.started_at = "2026-11-29T10:00:05.500000000Z";
  CHECK(meant("2026-11-29T10:00:05.5Z") == "2026-11-29T10:00:04.500000000Z");
  CHECK(meant("2026-11-29T10:00:05.499999999Z") == "2026-11-29T10:00:05.499999999Z");  // any other moment is meant
  CHECK(meant("") == "");
  c.finished_at = "2026-11-29T10:00:05.400000000Z";  // of the run before
  CHECK(meant("2026-11-29T10:00:05.500Z") == c.finished_at);
  c.finished_at = "2026-11-29T09:00:00.000000000Z";
  CHECK(meant("2026-11-29T10:00:05.500Z") == "2026-11-29T10:00:04.500000000Z");
  c.finished_at = "2026-11-29T11:00:00.000000000Z";  // of this one
  CHECK(meant("2026-11-29T10:00:05.500Z") == "2026-11-29T10:00:04.500000000Z");
  CHECK(since_meant("yesterday", c).error().field == "since");
}

}  // namespace berth::test
