#pragma once
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "host/apply/site.h"
#include "store/store.h"

namespace berth::host::apply {

inline constexpr std::string_view kSeat = "node-container-runtime";

/// The seat document the last accepted push gave this machine; null when there is none.
Result<Json> stored_seat(store::Store& store);
bool is_held_here(const Json& seat, const Config& config);

/// Keeps a push's seat, and latches the holder's path where this release has one and the seat is held here.
/// Called in the transaction that accepts the push.
Status keep_seat(store::Store& store, const Site& site, const Json& seat);

/// At start: a seat accepted as held while another release ran latches this one. Says whether it is latched.
Result<bool> latch_if_held(store::Store& store, const Site& site);
Result<bool> is_latched(store::Store& store);
/// The back-out of step 4, and nothing else.
Status clear_latch(store::Store& store);

/// Makes the seat file what the stored seat says: written when the seat is held, else removed.
Status write_seat_file(store::Store& store, const Site& site);

/// What the holder's socket says now, as a report's `seat` and `host.ask seat` have it. Never an error: not
/// answering is an answer, with the connect error and the unit's state, last exit and restarts as its cause.
struct HolderView {
  bool answering = false;
  std::string cause;
  Json seat;  // GET /v1/seat, null when it does not answer
};
HolderView look_at_holder(const Site& site);
Json seat_report(const HolderView& view, const Json& stored, const Config& config);

}  // namespace berth::host::apply
