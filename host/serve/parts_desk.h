#pragma once
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/parts.h"
#include "base/result.h"

namespace berth::host::serve {

/// Questions that arrive in parts, and answers that leave in parts, while they are under way: in memory
/// alone, so that a host which ends has taken nothing by halves. Bounded: of more than a few, or of more
/// bytes than that, the oldest is forgotten, and its sender begins again. Any thread.
class PartsDesk {
 public:
  static constexpr std::size_t kMostOpen = 4;
  static constexpr std::size_t kMostBytes = 2 * kMostWhole;

  /// Takes one part of a question. The whole question once it is complete, and before that what is answered.
  /// Errc::conflict on field `part` when those before it are not here.
  struct Taken {
    std::optional<std::string> question;
    std::string whole;
    std::size_t have = 0;
  };
  Result<Taken> take(std::string_view message);

  /// Keeps an answer that one message has no room for; its first part is what is sent.
  Result<std::string> keep(const std::string& answer, std::size_t room);
  /// The part asked for by {"what": "part", "whole", "part"}; Errc::not_found when that answer is forgotten.
  Result<std::string> give(const Json& request);

 private:
  struct Kept {
    std::string whole;
    std::size_t bytes = 0;
    std::vector<Part> parts;
  };
  Joining* joining_of(const Part& part);

  std::mutex mutex_;
  std::deque<Joining> open_;  // oldest first
  std::deque<Kept> kept_;
};

}  // namespace berth::host::serve
