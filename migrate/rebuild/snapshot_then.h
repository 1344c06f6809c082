#pragma once
#include "base/json.h"
#include "migrate/rebuild/heard.h"

namespace berth::migrate::rebuild_detail {

/// The machine as step 1 read it, as far as its host remembers: the file and the records from before the
/// hand-over, the containers that ran then; flags, unit, packages and the engine as they are now. `rebuilt`
/// says that it was made so.
Json snapshot_then(const Heard& heard);

}  // namespace berth::migrate::rebuild_detail
