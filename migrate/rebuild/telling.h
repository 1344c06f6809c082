#pragma once
#include "migrate/rebuild/fill.h"

namespace berth::migrate::rebuild_detail {

/// What came of it, for people and programs. `next` is what the new store's status says.
Outcome tell_done(const Material& material, const Filled& filled, const std::string& path,
                  const std::string& next);

/// Nothing was made: each machine in the way, and the way on.
Outcome tell_refused(const std::vector<Unheard>& unheard);

}  // namespace berth::migrate::rebuild_detail
