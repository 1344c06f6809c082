#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/containers.h"
#include "catalogue/facts.h"
#include "catalogue/manifest.h"
#include "catalogue/resolve.h"
#include "store/store.h"

namespace berth::catalogue {

/// What the store says when one push is composed: the facts without the other machines, every manifest, and the one
/// machine's assignments and seat. A copy, so that composing is a function of values.
struct View {
  FleetFacts fleet;
  std::map<std::string, Manifest> manifests;
  MachineFacts machine;  // `modules` is what is assigned now, the seat's module first
  SeatState seat;

  /// The assigned module that claims the seat; null when none does.
  const Manifest* runtime() const;
};

Result<View> view_of(store::Store& store, std::string_view machine);

/// Every manifest in the store, by name.
Result<std::map<std::string, Manifest>> stored_manifests(store::Store& store);
/// What is assigned to a machine: a module that claims a seat first, then in the fleet document's order.
Result<std::vector<std::string>> assigned_modules(store::Store& store, std::string_view machine);

/// The declaration's list of modules on one machine, resolved and checked against each other.
Result<Json> resolve_machine(const View& view, const Computed& computed);

}  // namespace berth::catalogue
