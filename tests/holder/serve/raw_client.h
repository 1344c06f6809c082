#pragma once
// A client that says what it likes on a unix socket.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/owned.h"

namespace berth::test {

class RawClient {
 public:
  explicit RawClient(const std::filesystem::path& path) : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.native().copy(address.sun_path, sizeof(address.sun_path) - 1);
    if (::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) fd_.reset();
  }
  bool connected() const { return static_cast<bool>(fd_); }
  /// False when the other side no longer reads.
  bool say(std::string_view text) {
    while (!text.empty()) {
      const auto n = ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  void finish() { ::shutdown(fd_.get(), SHUT_WR); }
  /// What comes until `until` was read, the other side closes, or `ms` pass in silence.
  std::string hear(std::string_view until = "", int ms = 3000) {
    std::string heard;
    while (until.empty() || heard.find(until) == std::string::npos) {
      pollfd one{fd_.get(), POLLIN, 0};
      if (::poll(&one, 1, ms) <= 0) break;
      char buffer[4096];
      const auto n = ::read(fd_.get(), buffer, sizeof(buffer));
      if (n <= 0) {
        closed_ = true;
        break;
      }
      heard.append(buffer, static_cast<std::size_t>(n));
    }
    return heard;
  }
  bool closed() const { return closed_; }

 private:
  OwnedFd fd_;
  bool closed_ = false;
};

inline std::string request(const std::string& method, const std::string& target, const std::string& body = "", const std::string& more = "") {
  return method + " " + target + " HTTP/1.1\r\nHost: x\r\n" + more + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace berth::test
