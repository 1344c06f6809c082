#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bus/bus.h"
#include "store/store.h"

namespace berth::cli {

struct Taken {
  std::int64_t fresh = 0;
  std::int64_t known = 0;
  std::int64_t refused = 0;
};

/// Takes what a stream keeps beyond the place noted in the store into the store, and notes the new place. A
/// message that is refused (malformed, or speaking for another machine) is told to `refused` and passed over.
/// Waits at most `wait` for a first new one. A stream that was made anew is read from its beginning; the ids
/// make that harmless.
Result<Taken> take_in(bus::Bus& bus, store::Store& store, std::string_view stream, std::chrono::milliseconds wait,
                      const std::function<void(const Error&)>& refused);

}  // namespace berth::cli
