#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "migrate/rebuild/heard.h"
#include "migrate/rebuild/streams.h"

namespace berth::migrate::rebuild_detail {

/// What the new store does not have: of a machine, or of the whole fleet where that is empty.
struct Loss {
  std::string machine, what, why;
};

/// The highest step that a machine shows to be done, 0 where it shows none; step 1 leaves nothing on a
/// machine and is shown by the steps after it. What cannot be shown again is a loss, and a later run does it
/// again. An error: it cannot be judged, for something there does not answer.
Result<int> highest_step(const FleetDocument& fleet, const Heard& heard, const StreamsSeen& seen,
                         std::vector<Loss>& lost);

}  // namespace berth::migrate::rebuild_detail
