#pragma once
#include <string>

#include "base/json_fwd.h"
#include "base/result.h"

namespace berth::migrate {

/// Whether the file holds what was planned, byte for byte: {"path", "sha256", "diff"}, else Errc::failed with
/// the difference between the plan and what is there.
Result<Json> file_as_planned(const Json& before, const Json& planned, const Json& after,
                             const std::string& machine);

/// Which of the keys pushed the engine says it has taken, and which wait for its next start:
/// {"taken": [...], "waiting": [...]}. A key that a reload takes and that the engine does not report is a
/// failure.
Result<Json> keys_taken(const Json& into, const Json& before, const Json& after, const std::string& machine);

/// {"carried": [...], "declared": [...], "given_back": [...]}: carried records must still be there.
Result<Json> record_origins(const Json& before, const Json& after, const std::string& machine);

}  // namespace berth::migrate
