#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::holder::engine {

/// Every engine call has this long, beyond the wait it asks the engine for.
inline constexpr std::chrono::milliseconds kBound{20000};
/// An answer beyond this is not read to its end.
inline constexpr std::size_t kMaxAnswer = std::size_t{64} << 20;

struct Call {
  std::string method = "GET";
  std::string target;     // from '/' on, encoded
  std::string body = {};  // JSON, or empty for none
  std::chrono::milliseconds limit = kBound;  // of the whole call; 0 where silence alone bounds it
  std::chrono::milliseconds silence{0};      // so long without a byte ends it; 0: not bounded so
  std::string content_type = "application/json";
};

struct Answer {
  int status = 0;
  std::string body;
  bool ok() const { return status >= 200 && status < 300; }
};

/// HTTP/1.1 to the engine's unix socket: the one file of berth that sees curl. Kept connections serve reading
/// calls alone; a changing call goes out on a fresh one, for libcurl sends a POST again by itself when a kept
/// connection turns out dead. Any HTTP status is an answer; an error is: engine_unreachable (naming the
/// socket and missing, refused, permission or closed), timeout, too_large. An answer that ends early is an
/// error, never a shorter answer. Any thread.
class Transport {
 public:
  explicit Transport(std::string socket);
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  ~Transport();

  const std::string& socket() const;

  Result<Answer> read(const Call& call);
  /// Sent once. After Errc::timeout or a connection that closed underway the outcome is unknown.
  Result<Answer> change(const Call& call);
  /// Many GETs side by side on connections of their own, each with its own bound, answers in the order asked.
  std::vector<Result<Answer>> read_all(const std::vector<std::string>& targets,
                                       std::chrono::milliseconds limit = kBound);

  struct Stream {
    std::string target;
    std::optional<std::chrono::milliseconds> limit;  // of the whole stream; none: until it ends or is stopped
    std::function<bool(std::string_view bytes)> sink;  // false ends the stream; must not wait
    std::string method = "GET";  // anything else goes out on a connection of its own, once
    std::optional<std::chrono::milliseconds> silence = std::nullopt;  // longest time without a byte
    std::function<void()> opened = {};                 // a 2xx head is there; before the first bytes
  };
  /// Hands a 2xx body to the sink as it comes. Answers the status, with the body of a refusal. A stream that
  /// was stopped, by token or sink, is success; `kBound` without a response head is Errc::timeout.
  Result<Answer> stream(const Stream& stream, std::stop_token stop);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::holder::engine
