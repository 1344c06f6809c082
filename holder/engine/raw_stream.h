#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/owned.h"
#include "base/result.h"

namespace berth::holder::engine {

/// A connection to the engine's socket that stopped being HTTP: what a process writes comes out of it, what
/// is written to it the process reads. One thread reads, one writes, any may end it.
class RawStream {
 public:
  /// Sends `body` (JSON) to `target` asking for the upgrade, and answers once the engine agreed. Its refusal
  /// is an error as of every other call.
  static Result<std::unique_ptr<RawStream>> open(const std::string& socket, const std::string& target,
                                                 const std::string& body, std::string_view doing);

  /// Bytes that came within `wait`: none yet is an empty text. Past the end it is nullopt.
  Result<std::optional<std::string>> read(std::chrono::milliseconds wait);
  Status write(std::string_view bytes);
  /// The process reads an end of file; its output still comes.
  Status close_input();

 private:
  RawStream(OwnedFd fd, std::string socket) : fd_(std::move(fd)), socket_(std::move(socket)) {}
  Status read_head(std::string_view doing);
  Status refuse(const std::string& head, std::string body, int status, std::string_view doing);
  Error closed(std::string_view why) const;

  OwnedFd fd_;
  std::string socket_;
  std::string early_;  // what came with the head
};

}  // namespace berth::holder::engine
