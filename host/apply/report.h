#pragma once
#include <chrono>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "host/apply/run.h"
#include "host/apply/seat.h"
#include "host/apply/site.h"
#include "store/store.h"

namespace berth::host::apply {

/// What one apply has to say, in the contract's words (section 8).
struct Said {
  std::string push_id;  // empty for none
  std::string result;   // converged, unchanged, refused, failed
  path::Kind path = path::Kind::none;
  Json seat;
  std::vector<Outcome> resources;
  std::string cause;  // of refused or failed, for a person
  std::chrono::milliseconds took{0};

  /// As declared, by a path that carried it: what proves a release, and needs no second try.
  bool well() const { return path != path::Kind::none && (result == "converged" || result == "unchanged"); }
};

/// Composes the report, keeps it (apply_report) and queues it for the bus in one transaction, or in the
/// transaction it is called in; the report as queued.
Result<Json> queue_report(store::Store& store, const Site& site, const Said& said);

/// Containers as host.ask's snapshot and a push's before and after have them.
Json containers_document(const std::vector<path::Seen>& containers);

}  // namespace berth::host::apply
