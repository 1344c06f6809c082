#pragma once
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/result.h"
#include "holder/serve/routes.h"
#include "holder/verbs/dispatcher.h"

namespace berth::holder::serve {

/// The host's face: HTTP/1.1 on a unix socket of mode 0600. One thread does all reading and writing, so a
/// slow client delays nobody; calls run on workers. A peer of another uid is answered 403 before
/// anything it sends is read. Destroying it ends the listening, waits for calls that run, and removes the
/// socket file.
class SocketFace {
 public:
  struct Options {
    std::filesystem::path socket;
    std::vector<uid_t> uids;
    std::size_t workers = 64;      // at most: they come with the calls
    std::size_t connections = 64;  // more are answered 503
    std::size_t most_body = std::size_t{1} << 20;
    std::chrono::seconds idle{60};     // of a kept connection, and of a client that stops reading
    std::chrono::seconds reading{20};  // of one request's header and body, from its first byte
    std::chrono::milliseconds heartbeat{10'000};  // of a stream in which nothing happens
    ListenToEvents events = {};
  };
  /// Listening when it answers. `dispatcher` outlives it.
  static Result<std::unique_ptr<SocketFace>> open(Options options, verbs::Dispatcher& dispatcher);
  ~SocketFace();

  /// Whether the reading thread takes a turn within `limit`: what the watchdog is told.
  bool is_alive(std::chrono::milliseconds limit);

  struct Impl;
  explicit SocketFace(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::holder::serve
