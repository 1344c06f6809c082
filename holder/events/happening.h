#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json_fwd.h"

namespace berth::holder::events {

/// One event in the contract's words, before it has an id. The same whichever engine holds the seat.
struct Happening {
  std::string kind;  // created started stopped died removed health gap
  Time at;
  std::string container, name, image, assignment;
  std::optional<int> exit_code;
  std::string signal, health;
  bool oom = false;
  bool inferred = false;
  // gap alone
  std::string from, to, cause;  // history_overrun engine_restart full_queue suppressed
  std::int64_t suppressed = 0;
};

/// The body that is recorded, published and streamed: contract.md, 6. Names are cut to a bound, so that an
/// event is always small enough to go out.
Json event_body(const Happening& happening, const std::string& id, const std::string& machine);

}  // namespace berth::holder::events
