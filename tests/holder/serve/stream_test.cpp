// Replies of the socket that come line by line.
#include <unistd.h>

#include <atomic>
#include <thread>

#include "holder/client/client.h"
#include "holder/events/feed.h"
#include "holder/serve/socket_face.h"
#include "tests/holder/serve/raw_client.h"
#include "tests/holder/verbs/bench.h"

using namespace berth;
using namespace berth::test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using holder::serve::SocketFace;

namespace {

struct StreamWorld {
  explicit StreamWorld(std::chrono::milliseconds heartbeat = 10s) {
    auto opened = SocketFace::open({.socket = path(),
                                    .uids = {::getuid()},
                                    .heartbeat = heartbeat,
                                    .events = [this](holder::events::Feed::Sink sink) { return feed.listen(std::move(sink)); }},
                                   bench.dispatcher());
    if (!opened) FAIL(to_text(opened.error()));
    face = std::move(opened).value();
  }
  std::filesystem::path path() const { return bench.folder / "h.sock"; }

  MemoryEngine engine;
  Bench bench{engine};
  holder::events::Feed feed;
  std::unique_ptr<SocketFace> face;
};

std::string follow(const std::string& more = "") { return R"({"container": "web", "follow": true)" + more + "}"; }

}  // namespace

TEST_CASE("events come a line each, in chunks, from now on", "[socket][stream]") {
  StreamWorld world;
  world.feed.tell(R"({"id":"before"})");
  RawClient client{world.path()};
  client.say(request("GET", "/v1/events"));
  CHECK_THAT(client.hear("\r\n\r\n"), StartsWith("HTTP/1.1 200") && Contains("Transfer-Encoding: chunked"));
  world.feed.tell(R"({"id":"one"})");
  world.feed.tell(R"({"id":"two"})");
  const auto heard = client.hear("two\"}\n\r\n");
  CHECK_THAT(heard, Contains("{\"id\":\"one\"}\n") && Contains("{\"id\":\"two\"}\n"));
  CHECK_THAT(heard, !Contains("before"));
}

TEST_CASE("a stream in which nothing happens beats", "[socket][stream]") {
  StreamWorld world{50ms};
  RawClient client{world.path()};
  client.say(request("GET", "/v1/events"));
  CHECK_THAT(client.hear("heartbeat\":\"20"), Contains("heartbeat"));
  CHECK_THAT(client.hear("heartbeat\":\"20"), Contains("heartbeat"));
}

TEST_CASE("a reader that goes is let go, and one that stays is not delayed by it", "[socket][stream]") {
  StreamWorld world{50ms};
  RawClient stays{world.path()};
  stays.say(request("GET", "/v1/events"));
  stays.hear("\r\n\r\n");
  for (int i = 0; i < 100; ++i) {
    RawClient goes{world.path()};
    goes.say(request("GET", "/v1/events"));
    goes.hear("\r\n\r\n");
  }
  world.feed.tell(R"({"id":"after"})");
  CHECK_THAT(stays.hear("after"), Contains("after"));
  CHECK(world.face->is_alive(5s));
  CHECK(holder::client::HolderClient{world.path()}.seat().ok());
}

TEST_CASE("a reader that never reads costs a bounded queue and nobody else's time", "[socket][stream]") {
  StreamWorld world;
  RawClient deaf{world.path()};
  deaf.say(request("GET", "/v1/events"));
  deaf.hear("\r\n\r\n");
  const std::string body = R"({"id":")" + std::string(10'000, 'x') + "\"}";
  for (int i = 0; i < 2000; ++i) world.feed.tell(body);  // 20 MB
  CHECK(world.face->is_alive(5s));
  CHECK(holder::client::HolderClient{world.path()}.seat().ok());
  std::string last;
  for (int i = 0; i < 2000 && !deaf.closed(); ++i) {
    const auto more = deaf.hear("berth:busy");
    if (more.find("berth:busy") != std::string::npos) last = "busy";
    if (more.empty()) break;
  }
  CHECK(last == "busy");
}

TEST_CASE("a followed log begins with its last lines and goes on with each as it is written", "[socket][stream]") {
  StreamWorld world;
  world.engine.put("web", {});
  world.engine.put_logs({{"2026-01-01T00:00:01.000000000Z", "stdout", "first"}, {"2026-01-01T00:00:02.000000000Z", "stderr", "second"}});
  RawClient client{world.path()};
  client.say(request("POST", "/v1/verbs/docker_logs", follow(R"(, "tail": 1)")));
  const auto heard = client.hear("first");  // the fake tells all of its lines again as the followed ones
  CHECK_THAT(heard, StartsWith("HTTP/1.1 200"));
  CHECK(heard.find("second") < heard.find("first"));
  CHECK(world.face->is_alive(5s));
  world.face.reset();  // ends the followed log too
  client.hear();
  CHECK(client.closed());
}

TEST_CASE("what cannot be followed is refused with its status, not in a stream", "[socket][stream]") {
  StreamWorld world;
  const auto status = [&](const std::string& body) {
    RawClient client{world.path()};
    client.say(request("POST", "/v1/verbs/logs", body));
    return client.hear("berth:").substr(9, 3);
  };
  CHECK(status(R"({"container": "nobody", "follow": true})") == "404");
  world.engine.put("web", {});
  CHECK(status(follow(R"(, "until": "2026-01-01T00:00:01Z")")) == "400");
  CHECK(status(follow(R"(, "tail": 5000)")) == "400");
}

TEST_CASE("as many logs are followed as may be, and a place comes free with its reader", "[socket][stream]") {
  StreamWorld world{50ms};
  world.engine.put("web", {});
  std::vector<std::unique_ptr<RawClient>> readers;
  for (std::size_t i = 0; i < holder::serve::Followers::kMost; ++i) {
    readers.push_back(std::make_unique<RawClient>(world.path()));
    readers.back()->say(request("POST", "/v1/verbs/logs", follow()));
    REQUIRE_THAT(readers.back()->hear("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  }
  RawClient late{world.path()};
  late.say(request("POST", "/v1/verbs/logs", follow()));
  CHECK_THAT(late.hear("busy"), StartsWith("HTTP/1.1 503"));
  readers.clear();
  std::string answer;
  for (int i = 0; i < 50 && answer.rfind("HTTP/1.1 200", 0) != 0; ++i) {
    std::this_thread::sleep_for(20ms);
    RawClient next{world.path()};
    next.say(request("POST", "/v1/verbs/logs", follow()));
    answer = next.hear("\r\n\r\n");
  }
  CHECK_THAT(answer, StartsWith("HTTP/1.1 200"));
}
