#pragma once
#include "base/json.h"
#include "base/result.h"
#include "host/apply/site.h"
#include "host/records/pushes.h"
#include "host/records/records.h"

namespace berth::host::apply {

/// Whether this machine may take this push: its own fleet, machine and machine-id, no older token or
/// sequence, every declared record named, a hand_over whole. Reads only.
Status judge(const Push& push, store::Store& store, const Site& site);

/// Takes a push or refuses it whole, and answers once that is durable: {"push_id", "accepted", "sequence"}.
/// The same push_id is answered the same and done once. The seat it carries, the latch that may follow from
/// it, its token and its row are one transaction.
struct Accepted {
  Json answer;
  bool is_new = false;  // false: it was here before
};
Result<Accepted> accept(const Json& body, store::Store& store, const Site& site);

}  // namespace berth::host::apply
