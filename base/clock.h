#pragma once
#include <chrono>
#include <string>

#include "base/result.h"

namespace berth {

using Time = std::chrono::sys_time<std::chrono::nanoseconds>;

/// What time it is. One transaction and one apply ask once. Tests move a clock by hand.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Time now() const = 0;
};

/// The machine's clock. Any thread.
const Clock& system_clock();

/// RFC 3339, UTC, nine digits: "2026-11-29T19:30:33.000000000Z", so that text order is time order.
std::string to_rfc3339(Time time);

/// Any RFC 3339 stamp of the years 1678 to 2261, any offset; fraction digits beyond nine are dropped.
Result<Time> parse_rfc3339(std::string_view text);

}  // namespace berth
