#pragma once
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace berth::cli {

/// "--since 10m" (s, m, h, d before now) or an RFC 3339 time, as the stamp the store orders by.
Result<std::string> parse_since(std::string_view text, Time now);

}  // namespace berth::cli
