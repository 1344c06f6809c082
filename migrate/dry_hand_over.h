#pragma once
#include <string>

#include "base/json_fwd.h"
#include "base/result.h"
#include "store/store.h"

namespace berth::migrate {

/// The push that would hand the machine over as it is now, for the host to judge (host.ask plan): never sent to
/// be carried out, and known by no ledger. Errors are the catalogue's.
Result<Json> dry_hand_over(store::Store& store, const std::string& machine, const Json& status, const Json& snapshot);

}  // namespace berth::migrate
