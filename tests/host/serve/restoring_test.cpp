// What the holder's events make the host do.
#include "host/serve/restoring.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "base/owned.h"
#include "catch.h"
#include "holder/client/follow.h"
#include "host/serve/watch.h"
#include "tests/host/serve/event_source.h"
#include "tests/support/fakes.h"

using namespace berth;
using namespace std::chrono_literals;
using host::serve::lost_container;
using host::serve::Restoring;

TEST_CASE("a container that ends is looked after at once, one that ends again and again at growing intervals") {
  Restoring restoring{300s};
  const auto start = Restoring::Steady::now();
  CHECK(restoring.due("web", start) == start);
  CHECK(restoring.due("other", start) == start);
  CHECK(restoring.due("web", start + 1s) == start + 2s);
  CHECK(restoring.due("web", start + 3s) == start + 5s);
  CHECK(restoring.due("web", start + 6s) == start + 10s);
  auto now = start + 10s;
  for (int i = 0; i < 20; ++i) now = restoring.due("web", now);
  CHECK(restoring.due("web", now) == now + 300s);
  now += 700s;  // it ran long enough since
  CHECK(restoring.due("web", now) == now);
}

TEST_CASE("only the end of a held container is one to look after, and no line is too odd to be read") {
  const auto line = [](const char* kind, bool held) {
    return std::string{R"({"id":"a:b:1","kind":")"} + kind + R"(","mesh_held":)" + (held ? "true" : "false") + R"(,"name":"web"})";
  };
  CHECK(lost_container(line("died", true)) == "web");
  CHECK(lost_container(line("removed", true)) == "web");
  CHECK_FALSE(lost_container(line("died", false)));
  CHECK_FALSE(lost_container(line("created", true)));
  for (const auto* odd : {"", "{", "[]", "null", R"({"heartbeat":"2026-01-01T00:00:00Z"})", R"({"kind":7,"mesh_held":"yes"})",
                          R"({"kind":"died","mesh_held":true,"name":null})"}) {
    CHECK_FALSE(lost_container(odd));
  }
}

TEST_CASE("the holder's events are read as they come, until stopped, silent or at their end") {
  test::TempFolder folder;
  test::EventSource source{folder / "h.sock"};
  std::vector<std::string> lines;
  int connected = 0;
  std::stop_source stop;
  const auto follow = [&](std::chrono::milliseconds silence) {
    return holder::client::follow_events(folder / "h.sock", stop.get_token(), silence, [&] { ++connected; }, [&](std::string_view line) {
      lines.emplace_back(line);
      if (lines.size() == 3) stop.request_stop();  // a later connection is told the same again
    });
  };
  source.says("{\"one\":1}\n{\"two\"");
  source.says(":2}\nlast\n");
  CHECK(follow(20s));
  CHECK(connected == 1);
  CHECK(lines == std::vector<std::string>{"{\"one\":1}", "{\"two\":2}", "last"});
  stop = {};
  const auto silent = follow(300ms);
  REQUIRE_FALSE(silent);
  CHECK(silent.error().code == Errc::holder_silent);
  CHECK(silent.error().detail.find("silent") != std::string::npos);
  source.ends();
  CHECK(follow(20s).error().detail.find("ended") != std::string::npos);
  source.stop();
  CHECK(follow(20s).error().detail.find("connect") != std::string::npos);
}
