#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/owned.h"
#include "base/result.h"

namespace berth::holder::boxes::conformance {

/// Listens on every address of this machine, on one port of its own choosing with TCP and UDP, and remembers
/// the datagrams that came. One thread of its own.
class Lure {
 public:
  static Result<std::unique_ptr<Lure>> open();
  ~Lure();

  int port() const { return port_; }
  /// Whether a datagram that holds the text came, within a moment.
  bool got(const std::string& text);
  /// Of this machine, without loopback.
  static std::vector<std::string> addresses();

 private:
  Lure() = default;
  void serve(std::stop_token stop);
  void take_datagram();

  OwnedFd tcp_, udp_;
  int port_ = 0;
  std::mutex mutex_;
  std::vector<std::string> datagrams_;
  std::jthread thread_;
};

}  // namespace berth::holder::boxes::conformance
