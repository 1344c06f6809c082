#include "holder/client/client.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <thread>

#include "base/hash.h"
#include "base/json.h"
#include "base/owned.h"
#include "catch.h"

using namespace berth;
using namespace berth::holder::client;
using namespace std::chrono_literals;

namespace {

/// Listens on a socket of its own and lets `serve` have the first connection.
class OneShotServer {
 public:
  explicit OneShotServer(std::function<void(int)> serve) : path_("/tmp/berth-client-" + random_hex(6) + ".sock") {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.native().copy(address.sun_path, sizeof(address.sun_path) - 1);
    fd_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    REQUIRE(::listen(fd_.get(), 4) == 0);
    thread_ = std::jthread{[this, serve = std::move(serve)] {
      const OwnedFd peer{::accept(fd_.get(), nullptr, nullptr)};
      if (peer) serve(peer.get());
    }};
  }
  ~OneShotServer() {
    ::shutdown(fd_.get(), SHUT_RDWR);
    thread_.join();
    std::filesystem::remove(path_);
  }
  HolderClient client() const { return HolderClient{path_}; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  OwnedFd fd_;
  std::jthread thread_;
};

std::string read_some(int fd) {
  std::string text(65536, '\0');
  const auto n = ::read(fd, text.data(), text.size());
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

void say(int fd, std::string_view text) { (void)!::write(fd, text.data(), text.size()); }

std::string reply(std::string_view status, std::string_view body) {
  return "HTTP/1.1 " + std::string{status} + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string{body};
}

std::string cause(const Result<Json>& answer) {
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().code == Errc::holder_silent);
  CHECK(answer.error().seat == "node-container-runtime");
  return answer.error().detail;
}

}  // namespace

TEST_CASE("a call is one POST with the params, and its answer is the document", "[client]") {
  std::string request;
  OneShotServer server{[&](int fd) {
    request = read_some(fd);
    say(fd, reply("200 OK", R"({"containers": []})"));
  }};
  const auto answer = server.client().call("list", {{"owner", "held"}});
  REQUIRE(answer);
  CHECK(*answer == Json{{"containers", Json::array()}});
  CHECK_THAT(request, Catch::Matchers::StartsWith("POST /v1/verbs/list HTTP/1.1\r\n"));
  CHECK_THAT(request, Catch::Matchers::EndsWith("\r\n\r\n{\"owner\":\"held\"}"));
}

TEST_CASE("a problem document comes back as the error it is", "[client]") {
  OneShotServer server{[&](int fd) {
    read_some(fd);
    say(fd, reply("403 Forbidden", R"({"code": "refused_held", "detail": "no", "assignment": "web"})"));
  }};
  const auto answer = server.client().call("remove", {{"container", "web"}});
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == Errc::refused_held);
  CHECK(answer.error().assignment == "web");
}

TEST_CASE("a refusal sent before the request was read arrives all the same", "[client]") {
  OneShotServer server{[&](int fd) {
    say(fd, reply("403 Forbidden", R"({"code": "not_granted", "detail": "uid"})"));
    ::shutdown(fd, SHUT_WR);
    while (!read_some(fd).empty()) {}
  }};
  const auto answer = server.client().call("list", {{"padding", std::string(1 << 20, 'x')}});
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == Errc::not_granted);
}

TEST_CASE("a holder that does not answer is silent, and the cause is named", "[client]") {
  SECTION("no socket") {
    CHECK_THAT(cause(HolderClient{"/tmp/berth-none.sock"}.call("list", Json::object())), Catch::Matchers::Contains("there is no such socket"));
  }
  SECTION("nobody listens") {
    std::filesystem::path path;
    {
      OneShotServer server{[](int) {}};
      path = server.path();
      std::filesystem::rename(path, path.native() + ".left");
    }
    CHECK_THAT(cause(HolderClient{path.native() + ".left"}.seat()), Catch::Matchers::Contains("nobody listens"));
    std::filesystem::remove(path.native() + ".left");
  }
  SECTION("closed before an answer") {
    OneShotServer server{[](int fd) { read_some(fd); }};
    CHECK_THAT(cause(server.client().seat()), Catch::Matchers::Contains("closed before an answer"));
  }
  SECTION("closed within the answer") {
    OneShotServer server{[](int fd) {
      read_some(fd);
      say(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"a\":");
    }};
    CHECK_THAT(cause(server.client().seat()), Catch::Matchers::Contains("closed before an answer"));
  }
  SECTION("no reply in time") {
    OneShotServer server{[](int fd) {
      read_some(fd);
      read_some(fd);
    }};
    CHECK_THAT(cause(server.client().call("list", Json::object(), 50ms)), Catch::Matchers::Contains("no reply within 50 ms"));
  }
  SECTION("something that is no holder") {
    OneShotServer server{[](int fd) {
      read_some(fd);
      say(fd, reply("200 OK", "<html>"));
    }};
    CHECK_THAT(cause(server.client().seat()), Catch::Matchers::Contains("no holder"));
  }
  SECTION("a path no socket can have") {
    CHECK_THAT(cause(HolderClient{"/tmp/" + std::string(200, 'x')}.seat()), Catch::Matchers::Contains("does not answer"));
  }
}
