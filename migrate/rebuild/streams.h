#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "migrate/fleet_document.h"
#include "migrate/port.h"
#include "store/store.h"

namespace berth::migrate::rebuild_detail {

/// What a release's own reports prove of it.
struct ReleaseSeen {
  Json report;             // its first unchanged one by the holder's path
  std::uint64_t next = 0;  // the stream's sequence behind it
  std::string previous;    // what ran before, from the reports; empty: none of it is in the stream
};

/// What the streams still hold of one machine.
struct StreamsSeen {
  Json newest;  // report; null: none
  std::optional<ReleaseSeen> with_holder, without_cli;
  Json probe;  // {"id", "name", "image", "events": {"created", "removed"}} of the first whole one; null: none
  std::int64_t reports = 0, events = 0;
};

/// Takes a machine's streams into the store from their beginning, and says what they show. A probe counts
/// from `seat_since` on, when the seat came.
Result<StreamsSeen> take_streams(store::Store& store, const FleetDocument& fleet, Port& port,
                                 const std::string& machine, std::string_view seat_since);

}  // namespace berth::migrate::rebuild_detail
