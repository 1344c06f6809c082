#pragma once
#include <set>
#include <string>
#include <vector>

#include "holder/engine/engine.h"
#include "holder/events/happening.h"
#include "holder/events/known.h"

namespace berth::holder::events {

/// What must have happened for `known` to have become what the engine shows now, oldest first, all marked
/// inferred; `known` becomes that. Told with the engine's own times where it has them, else `now`.
std::vector<Happening> transitions(Known& known, const engine::Summary& seen, Time now);

/// The beginning of a container that no event told of.
std::vector<Happening> first_seen(World& world, const engine::Summary& seen, Time now);

/// The whole world against the whole list, whose rows have their times. What is not in the list was removed.
/// The containers of `ahead` are left alone: their own events were taken in after the list was.
std::vector<Happening> compare(World& world, const std::vector<engine::Summary>& list, Time now,
                               const std::set<std::string>& ahead = {});

}  // namespace berth::holder::events
