#pragma once
#include <chrono>

#include "base/json_fwd.h"
#include "holder/verbs/session.h"

namespace berth::holder::verbs {

/// How long the main process may take: what was asked, else the container's own, else the engine's 10 s.
std::chrono::seconds grace_of(const engine::Inspected& container, std::optional<std::int64_t> asked);

/// {"container", "name", "was", "now", "note", "mesh_held", "assignment"}, `now` as the engine says it now.
Result<Json> changed(Session& session, const engine::Inspected& before);

}  // namespace berth::holder::verbs
