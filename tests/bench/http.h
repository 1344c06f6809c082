#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "base/owned.h"

namespace berth::bench {

/// One kept HTTP/1.1 connection on a unix socket, with as little between us and the kernel as can be: the floor.
/// Ends the program when the other side does not keep to HTTP, for then there is nothing to measure.
class KeptHttp {
 public:
  explicit KeptHttp(std::string socket);

  struct Answer {
    int status = 0;
    std::string body;
  };
  Answer ask(std::string_view method, std::string_view target, std::string_view body = {});
  /// Sends a request and leaves its answer to be read line by line.
  void begin(std::string_view target);
  /// The next piece of a chunked answer; empty at its end.
  std::string next_chunk();

 private:
  void connect();
  void send(std::string_view text);
  std::string read_line();
  std::string read_bytes(std::size_t count);
  Answer read_answer();

  std::string socket_;
  OwnedFd fd_;
  std::string buffer_;
  std::chrono::steady_clock::time_point used_ = std::chrono::steady_clock::now();
};

}  // namespace berth::bench
