#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/json_fwd.h"
#include "base/result.h"
#include "catalogue/facts.h"
#include "catalogue/manifest.h"

namespace berth::catalogue {

/// Values that berth itself works out and puts in the place of a setting: (module, setting) -> text. Nothing:
/// the resource that asks for it is left out of the declaration.
using Computed = std::map<std::pair<std::string, std::string>, std::optional<std::string>>;

/// One module as a push has it on one machine: {"name", "assignment", "claims", "resources"}, every
/// placeholder filled, names by platform, releases by artifact. A package the platform does not offer is
/// left out, and so are the names others call it by; `keep` leaves members out of its json resources.
Result<Json> resolve_module(const FleetFacts& fleet, const MachineFacts& machine, const Manifest& manifest,
                            const Computed& computed);

}  // namespace berth::catalogue
