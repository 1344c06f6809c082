#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/guarded.h"
#include "base/result.h"

namespace berth::holder::verbs {

/// How many calls about one container may be under way. An engine that hangs on one container (its lock is
/// held) would otherwise have every worker wait there: beyond the bound a call is told `busy`. Calls that pass
/// quickly are never counted out. Any thread.
class Lanes {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMost = 48;                // at one moment
  static constexpr std::size_t kMostSlow = 8;             // of those that have waited for longer than
  static constexpr std::chrono::milliseconds kSlow{1000};

  /// One call under way; it is over when this goes.
  class Turn {
   public:
    Turn() = default;
    ~Turn();
    Turn(Turn&& other) noexcept;
    Turn& operator=(Turn&&) = delete;

   private:
    friend class Lanes;
    using Rows = Guarded<std::map<std::string, std::multiset<Clock::time_point>>>;
    std::shared_ptr<Rows> rows_;
    std::string target_;
    Clock::time_point began_;
  };

  /// `target` as the caller names it; no target, no bound.
  Result<Turn> enter(const std::string& target);

 private:
  std::shared_ptr<Turn::Rows> rows_ = std::make_shared<Turn::Rows>();
};

}  // namespace berth::holder::verbs
