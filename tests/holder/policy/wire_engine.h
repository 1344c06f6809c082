#pragma once
// An engine of which only the wire is real: it takes any request, writes it down as it came, and answers as much
// as a create needs. What berth asks of an engine is here byte for byte.
#include <sys/socket.h>
#include <sys/un.h>

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/hash.h"
#include "base/json.h"
#include "base/owned.h"
#include "catch.h"

namespace berth::test {

class WireEngine {
 public:
  struct Request {
    std::string method, target, body;
  };

  explicit WireEngine(std::string path) : path_(std::move(path)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listener_.get(), 64) == 0);
    thread_ = std::jthread{[this] { serve(); }};
  }
  ~WireEngine() { ::shutdown(listener_.get(), SHUT_RDWR); }

  const std::string& path() const { return path_; }
  std::vector<Request> requests() const {
    const std::scoped_lock lock{mutex_};
    return requests_;
  }

 private:
  void serve() {
    for (;;) {
      const OwnedFd fd{::accept(listener_.get(), nullptr, nullptr)};
      if (!fd) return;
      const auto request = read(fd.get());
      const auto answer = this->answer(request);
      {
        const std::scoped_lock lock{mutex_};
        requests_.push_back(request);
      }
      const auto text = "HTTP/1.1 " + answer.first + "\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: " +
                        std::to_string(answer.second.size()) + "\r\n\r\n" + answer.second;
      static_cast<void>(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL));
    }
  }

  static Request read(int fd) {
    std::string text, piece(65536, '\0');
    std::size_t wanted = std::string::npos;
    while (text.size() < wanted) {
      const auto n = ::recv(fd, piece.data(), piece.size(), 0);
      if (n <= 0) break;
      text.append(piece, 0, static_cast<std::size_t>(n));
      const auto end = text.find("\r\n\r\n");
      if (end == std::string::npos) continue;
      const auto length = text.find("Content-Length: ");
      wanted = end + 4 + (length < end ? std::stoul(text.substr(length + 16)) : 0);
    }
    const auto first = text.find(' '), second = text.find(' ', first + 1), end = text.find("\r\n\r\n");
    return {text.substr(0, first), text.substr(first + 1, second - first - 1), end == std::string::npos ? "" : text.substr(end + 4)};
  }

  std::pair<std::string, std::string> answer(const Request& request) const {
    const auto& target = request.target;
    const auto has = [&](const char* part) { return target.find(part) != std::string::npos; };
    const auto id = sha256_hex("wire");
    if (target.ends_with("/_ping")) return {"200 OK", "OK"};
    if (target == "/version") return {"200 OK", R"({"Version":"20.10.24","ApiVersion":"1.41","MinAPIVersion":"1.12"})"};
    if (has("/info")) return {"200 OK", R"({"ID":"wire"})"};
    if (has("/images/")) return {"200 OK", R"({"Id":"sha256:)" + id + R"(","Config":{"Cmd":["/bin/sh"]}})"};
    if (has("/networks/app-net")) return {"200 OK", R"({"Name":"app-net","Id":"n1","Driver":"bridge","Labels":{"mesh-holder.caller":"alice"}})"};
    if (has("/volumes/create")) return {"201 Created", "{}"};
    if (has("/volumes/")) return {"200 OK", R"({"Name":"v","Driver":"local","Labels":{"mesh-holder.caller":"alice"}})"};
    if (has("/containers/json")) return {"200 OK", "[]"};
    if (has("/containers/create")) return {"201 Created", R"({"Id":")" + id + "\"}"};
    if (request.method == "DELETE" || request.method == "POST") return {"204 No Content", ""};
    return {"404 Not Found", R"({"message":"no such"})"};
  }

  std::string path_;
  mutable std::mutex mutex_;
  std::vector<Request> requests_;
  OwnedFd listener_;
  std::jthread thread_;
};

}  // namespace berth::test
