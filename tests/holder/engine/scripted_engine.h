#pragma once
// An engine of the tests' own making: HTTP on a unix socket, each request answered as the test says.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/owned.h"
#include "catch.h"
#include "holder/engine/engine.h"
#include "tests/support/fakes.h"

namespace berth::test {

struct Said {
  int status = 200;
  std::string body = {};
  std::chrono::milliseconds after{0};
  bool cut = false;  // the connection ends in the middle of the body
};

/// Listens at a path, a thread a connection, each request on a connection of its own.
class ScriptedEngine {
 public:
  using Script = std::function<Said(const std::string& method, const std::string& path)>;

  ScriptedEngine(const std::string& path, Script script) : script_(std::move(script)) {
    listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listener_.get(), 64) == 0);
    accepting_ = std::jthread{[this] { accept_all(); }};
  }
  ~ScriptedEngine() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    accepting_.join();
    serving_.clear();
  }
  /// "POST /containers/create" as often as it was asked, the version cut off.
  std::vector<std::string> asked() {
    const std::scoped_lock lock{mutex_};
    return asked_;
  }
  int asked(const std::string& beginning) {
    int count = 0;
    for (const auto& request : asked()) count += request.starts_with(beginning) ? 1 : 0;
    return count;
  }

 private:
  void accept_all() {
    for (;;) {
      const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      serving_.emplace_back([this, fd] { serve(OwnedFd{fd}); });
    }
  }
  static std::string unversioned(std::string path) {
    if (!path.starts_with("/v1.")) return path;
    return path.substr(path.find('/', 1));
  }
  static std::string answer_of(const Said& said) {
    auto text = "HTTP/1.1 " + std::to_string(said.status) + " X\r\nConnection: close\r\n";
    if (said.status != 204 && said.status != 304)
      text += "Content-Length: " + std::to_string(said.body.size()) + "\r\n";
    return text + "\r\n" + (said.cut ? said.body.substr(0, said.body.size() / 2) : said.body);
  }
  void serve(const OwnedFd& fd) {
    std::string request;
    char buffer[4096];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const auto n = ::read(fd.get(), buffer, sizeof buffer);
      if (n <= 0) return;
      request.append(buffer, static_cast<std::size_t>(n));
    }
    const auto space = request.find(' ');
    const auto method = request.substr(0, space);
    const auto path = unversioned(request.substr(space + 1, request.find(' ', space + 1) - space - 1));
    {
      const std::scoped_lock lock{mutex_};
      asked_.push_back(method + " " + path);
    }
    const auto said = script_(method, path);
    std::this_thread::sleep_for(said.after);
    const auto text = answer_of(said);
    static_cast<void>(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL));
    ::shutdown(fd.get(), SHUT_WR);
    while (::read(fd.get(), buffer, sizeof buffer) > 0) {
    }
  }

  Script script_;
  OwnedFd listener_;
  std::mutex mutex_;
  std::vector<std::string> asked_;
  std::vector<std::jthread> serving_;
  std::jthread accepting_;
};

/// What every engine is asked first; `else` for all other requests.
inline ScriptedEngine::Script as_engine(const std::string& name, ScriptedEngine::Script otherwise,
                                        const std::string& newest = "1.41",
                                        const std::string& oldest = "1.12") {
  return [=](const std::string& method, const std::string& path) -> Said {
    if (path == "/version")
      return {200, R"({"Version":"1","ApiVersion":")" + newest + R"(","MinAPIVersion":")" + oldest +
                       R"(","Components":[{"Name":")" + name + R"("}],"Platform":{"Name":""}})"};
    if (path == "/info") return {200, R"({"ID":"x"})"};
    return otherwise(method, path);
  };
}

/// What inspect answers of a container in a state.
inline std::string inspected_as(const std::string& id, const std::string& state, int restarts = 0) {
  const bool runs = state == "running" || state == "restarting";
  return R"({"Id":")" + id + R"(","Name":"/name-)" + id +
         R"(","Created":"2026-11-29T16:25:45Z","State":{"Status":")" + state + R"(","Running":)" +
         (runs ? "true" : "false") +
         R"(,"Pid":0,"ExitCode":0,"StartedAt":"2026-11-29T16:25:46Z","FinishedAt":"0001-01-01T00:00:00Z"},)" +
         R"("Image":"sha256:0","RestartCount":)" + std::to_string(restarts) +
         R"(,"Config":{"Image":"i","Labels":{}},"HostConfig":{"RestartPolicy":{"Name":"no"}},"NetworkSettings":{}})";
}

/// One that has been opened, as `name` and with these versions.
struct OpenedScript {
  TempFolder folder;
  ScriptedSeam seam;
  std::string path = (folder / "engine.sock").native();
  ScriptedEngine peer;
  std::unique_ptr<holder::engine::Engine> engine;

  OpenedScript(const std::string& name, ScriptedEngine::Script script, const std::string& newest = "1.41",
               const std::string& oldest = "1.12")
      : peer{path, as_engine(name, std::move(script), newest, oldest)} {
    auto opened = holder::engine::Engine::open(path, {}, seam);
    if (!opened) FAIL(opened.error().detail);
    engine = std::move(opened).value();
  }
};

}  // namespace berth::test
