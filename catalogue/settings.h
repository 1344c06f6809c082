#pragma once
#include <set>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"
#include "catalogue/facts.h"
#include "catalogue/manifest.h"

namespace berth::catalogue {

/// A module's settings as they are on one machine: the defaults, over them what the fleet says, over that
/// what the machine says. {"key": value, …} with every key of the manifest; null where the module does not
/// own it. Refused naming the place: a key the manifest does not have, and a value of another type than its
/// default.
Result<Json> effective_settings(const FleetFacts& fleet, const MachineFacts& machine,
                                const Manifest& manifest);

/// The members of a `json` resource that stay as they were written by hand on this machine (the word "keep"
/// of the settings): the module leaves them alone.
Result<std::set<std::string>> kept_keys(const FleetFacts& fleet, const MachineFacts& machine,
                                        std::string_view module);

}  // namespace berth::catalogue
