#pragma once
// A holder's socket as far as GET /v1/events goes: each connection is told what was said so far, and what is said
// next, in chunks.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/owned.h"

namespace berth::test {

class EventSource {
 public:
  explicit EventSource(const std::filesystem::path& socket) : socket_(socket), listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    std::filesystem::create_directories(socket.parent_path());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
    if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::abort();
    if (::listen(listener_.get(), 4) != 0) std::abort();
    thread_ = std::jthread{[this](std::stop_token stop) { serve(stop); }};
  }
  ~EventSource() { stop(); }
  void says(const std::string& text) {
    const std::scoped_lock lock{mutex_};
    said_.push_back(text);
  }
  /// Every stream ends after what was said.
  void ends() { ending_ = true; }
  void stop() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
    ::unlink(socket_.c_str());
  }
  int connections() const { return connections_; }

 private:
  void serve(std::stop_token stop) {
    while (!stop.stop_requested()) {
      pollfd ready{listener_.get(), POLLIN, 0};
      if (::poll(&ready, 1, 10) <= 0) continue;
      const OwnedFd connection{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
      if (connection) stream(connection.get(), stop);
    }
  }
  /// One connection at a time, until its reader goes.
  void stream(int fd, const std::stop_token& stop) {
    char request[2048];
    const auto length = ::read(fd, request, sizeof request);
    if (length <= 0) return;
    // An apply asks the same socket who holds the seat: that is no reader of events.
    if (std::string_view{request, static_cast<std::size_t>(length)}.find(" /v1/events") == std::string_view::npos) return;
    send(fd, "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
    ++connections_;
    for (std::size_t next = 0; !stop.stop_requested();) {
      std::string text;
      {
        const std::scoped_lock lock{mutex_};
        if (next < said_.size()) text = said_[next++];
      }
      if (!text.empty()) {
        char size[32];
        std::snprintf(size, sizeof size, "%zx\r\n", text.size());
        send(fd, size + text + "\r\n");
        continue;
      }
      if (ending_) return send(fd, "0\r\n\r\n");
      pollfd gone{fd, POLLIN, 0};
      if (::poll(&gone, 1, 10) > 0) return;
    }
  }
  static void send(int fd, const std::string& text) { static_cast<void>(::send(fd, text.data(), text.size(), MSG_NOSIGNAL)); }

  std::filesystem::path socket_;
  OwnedFd listener_;
  std::mutex mutex_;
  std::vector<std::string> said_;
  std::atomic<bool> ending_ = false;
  std::atomic<int> connections_ = 0;
  std::jthread thread_;
};

}  // namespace berth::test
