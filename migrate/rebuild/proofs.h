#pragma once
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "migrate/rebuild/evidence.h"

namespace berth::migrate::rebuild_detail {

/// What a step observed, made again from what the machine remembers and what the streams hold.
/// `rebuilt` names what is missing. The store has the machine's seat already.
Result<Json> proof_again(store::Store& store, const FleetDocument& fleet, const Heard& heard,
                         const StreamsSeen& seen, int step);

}  // namespace berth::migrate::rebuild_detail
