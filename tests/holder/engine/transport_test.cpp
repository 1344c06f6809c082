#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/owned.h"
#include "catch.h"
#include "holder/engine/engine.h"
#include "holder/engine/transport.h"
#include "tests/support/fakes.h"

// How an engine that is down, or dies underway, is told: against sockets of our own making.
namespace berth::test {
namespace {

using namespace std::chrono_literals;
using holder::engine::Engine;
using holder::engine::Transport;

/// Listens, and does with each connection what the test says; counts them.
class ScriptedPeer {
 public:
  ScriptedPeer(const std::string& path, std::function<void(int fd, int n)> serve) : serve_(std::move(serve)) {
    listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listener_.get(), 16) == 0);
    thread_ = std::jthread{[this] { run(); }};
  }
  ~ScriptedPeer() { ::shutdown(listener_.get(), SHUT_RDWR); }
  int connections() const { return connections_; }

 private:
  void run() {
    for (;;) {
      const OwnedFd fd{::accept(listener_.get(), nullptr, nullptr)};
      if (!fd) return;
      serve_(fd.get(), ++connections_);
    }
  }
  std::function<void(int, int)> serve_;
  OwnedFd listener_;
  std::atomic<int> connections_ = 0;
  std::jthread thread_;
};

/// Reads one request's head and body as far as they come in one go.
std::string read_request(int fd) {
  std::string text(4096, '\0');
  const auto n = ::read(fd, text.data(), text.size());
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}
void say(int fd, std::string_view text) {
  static_cast<void>(::send(fd, text.data(), text.size(), MSG_NOSIGNAL));
}

std::string told(const Error& error) { return error.detail; }

}  // namespace

TEST_CASE("EH05 an engine that is not there is unreachable, naming the socket and the cause") {
  TempFolder folder;
  ScriptedSeam seam;
  const auto path = (folder / "engine.sock").native();
  auto opened = Engine::open(path, {}, seam);
  REQUIRE(!opened);
  CHECK(opened.error().code == Errc::engine_unreachable);
  CHECK(told(opened.error()).find(path + ": missing") != std::string::npos);

  {
    ScriptedPeer gone{path, [](int, int) {}};
  }
  opened = Engine::open(path, {}, seam);
  CHECK(opened.error().code == Errc::engine_unreachable);
  CHECK(told(opened.error()).find("refused") != std::string::npos);
}

TEST_CASE("a connection that is closed underway is unreachable, and a changing call was sent once") {
  TempFolder folder;
  const auto path = (folder / "engine.sock").native();
  ScriptedPeer peer{path, [](int fd, int) { read_request(fd); }};
  Transport transport{path};
  const auto answer = transport.change({.method = "POST", .target = "/x", .body = "{}"});
  REQUIRE(!answer);
  CHECK(answer.error().code == Errc::engine_unreachable);
  CHECK(told(answer.error()).find("closed") != std::string::npos);
  CHECK(told(answer.error()).find("unknown") != std::string::npos);
  CHECK(peer.connections() == 1);
}

TEST_CASE(
    "EH03 a kept connection that died is no trouble to a reading call and never carries a changing one") {
  TempFolder folder;
  const auto path = (folder / "engine.sock").native();
  std::atomic<int> posts = 0;
  ScriptedPeer peer{
      path, [&](int fd, int) {
        const auto request = read_request(fd);
        if (request.starts_with("POST")) ++posts;
        say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");  // kept by its head, closed in truth
      }};
  Transport transport{path};
  for (int i = 0; i < 3; ++i) CHECK(transport.read({.target = "/x"}).value().body == "ok");
  for (int i = 0; i < 3; ++i)
    CHECK(transport.change({.method = "POST", .target = "/x", .body = "{}"}).value().body == "ok");
  CHECK(posts == 3);
}

TEST_CASE("EH04 an answer that ends early, or whose end nobody stated, is no answer") {
  TempFolder folder;
  const auto path = (folder / "engine.sock").native();
  ScriptedPeer peer{path, [](int fd, int n) {
                      read_request(fd);
                      if (n == 1) say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[]");
                      if (n == 2) say(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n");
                      if (n == 3) say(fd, "HTTP/1.1 200 OK\r\n\r\n[]");
                      if (n == 4) say(fd, "not HTTP at all\r\n\r\n");
                      if (n == 5) say(fd, "HTTP/1.1 204 No Content\r\n\r\n");
                    }};
  Transport transport{path};
  for (int n = 1; n <= 4; ++n) {
    CAPTURE(n);
    const auto answer = transport.read({.target = "/x"});
    REQUIRE(!answer);
    CHECK(answer.error().code == Errc::engine_unreachable);
    CHECK(told(answer.error()).find("closed") != std::string::npos);
  }
  CHECK(transport.read({.target = "/x"}).value().status == 204);
}

TEST_CASE("a bound that passes is a timeout, and one silent answer holds up none of the others") {
  TempFolder folder;
  const auto path = (folder / "engine.sock").native();
  ScriptedPeer peer{path, [](int fd, int) {
                      read_request(fd);
                      std::this_thread::sleep_for(300ms);
                    }};
  Transport transport{path};
  const auto answer = transport.change({.method = "POST", .target = "/x", .body = {}, .limit = 100ms});
  REQUIRE(!answer);
  CHECK(answer.error().code == Errc::timeout);
  CHECK(told(answer.error()).find("unknown") != std::string::npos);
}

TEST_CASE("a stream ends when it is told to, before its first byte too") {
  TempFolder folder;
  const auto path = (folder / "engine.sock").native();
  std::stop_source stop;
  ScriptedPeer peer{path, [&](int fd, int n) {
                      read_request(fd);
                      if (n == 2)
                        say(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
                      if (n == 1) stop.request_stop();
                      std::this_thread::sleep_for(50ms);
                    }};
  Transport transport{path};
  CHECK(transport.stream({"/events", std::nullopt, [](std::string_view) { return true; }}, stop.get_token())
            .ok());
  std::string seen;
  CHECK(transport
            .stream({"/events", std::nullopt,
                     [&](std::string_view bytes) {
                       seen += bytes;
                       return false;
                     }},
                    {})
            .ok());
  CHECK(seen == "abc");
}

TEST_CASE("EH01 a refusal in plain text keeps its status and its words") {
  TempFolder folder;
  ScriptedSeam seam;
  const auto path = (folder / "engine.sock").native();
  ScriptedPeer peer{path, [](int fd, int) {
                      read_request(fd);
                      say(fd,
                          "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: "
                          "27\r\n\r\nclient version is too old.\n");
                    }};
  const auto opened = Engine::open(path, {}, seam);
  REQUIRE(!opened);
  CHECK(opened.error().code == Errc::engine_refused);
  CHECK(opened.error().engine_status == 400);
  CHECK(opened.error().engine_message == "client version is too old.");
}

TEST_CASE(
    "a line of the event stream that cannot be read is told as lost, and the ones after it as they are") {
  TempFolder folder;
  ScriptedSeam seam;
  const auto path = (folder / "engine.sock").native();
  const auto sized = [](const std::string& body) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\nConnection: close\r\n\r\n" + body;
  };
  ScriptedPeer peer{
      path, [&](int fd, int) {
        const auto request = read_request(fd);
        if (request.starts_with("GET /version"))
          return say(fd, sized(R"({"Version":"20","ApiVersion":"1.41","MinAPIVersion":"1.12"})"));
        if (request.find("/info") != std::string::npos) return say(fd, sized("{}"));
        const std::string good = R"({"Type":"container","Action":"start","Actor":{"ID":"a"},"timeNano":1})"
                                 "\n";
        say(fd, sized(good + "not json\n" + std::string(std::size_t{9} << 20, 'x') + "\n" + good));
      }};
  const auto engine = Engine::open(path, {}, seam);
  REQUIRE(engine.ok());
  std::string seen;
  const auto ended =
      (*engine)->events({}, {}, [&](const holder::engine::RawEvent& event) { seen += event.action + " "; });
  CHECK(ended.error().code == Errc::engine_unreachable);
  CHECK(seen == "open start lost lost start ");
}

TEST_CASE("EH01 an engine that speaks none of our versions is refused, saying whose are which") {
  TempFolder folder;
  ScriptedSeam seam;
  const auto path = (folder / "engine.sock").native();
  std::string versions = R"("ApiVersion":"1.60","MinAPIVersion":"1.50")";
  ScriptedPeer peer{path, [&](int fd, int) {
                      read_request(fd);
                      const auto body = R"({"Version":"40.0",)" + versions + "}";
                      say(fd, "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) +
                                  "\r\nConnection: close\r\n\r\n" + body);
                    }};
  auto opened = Engine::open(path, {}, seam);
  REQUIRE(!opened);
  CHECK(told(opened.error()).find("speaks API 1.50 to 1.60, berth 1.41 to 1.45") != std::string::npos);
  versions = R"("ApiVersion":"1.40","MinAPIVersion":"1.12")";
  opened = Engine::open(path, {}, seam);
  REQUIRE(!opened);
  CHECK(told(opened.error()).find("1.12 to 1.40") != std::string::npos);
}

}  // namespace berth::test
