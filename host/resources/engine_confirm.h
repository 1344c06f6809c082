#pragma once
#include <string>
#include <vector>

#include "host/resources/engine_edit.h"
#include "host/resources/resource.h"

namespace berth::host::resources {

/// The keys on which the engine's own answer differs from what is expected; empty when it agrees.
std::vector<std::string> keys_not_taken(const EngineExpectation& expect, const path::EngineView& view);

/// Asks the engine to reload its file and waits, with a bound, for its own reload event and its answer
/// agreeing on every expected key: the signal alone succeeds on a broken file too. Errc::engine_refused names
/// the keys that were not taken, and says when no event came.
Status reload_and_confirm(World& world, const EngineExpectation& expect);

}  // namespace berth::host::resources
