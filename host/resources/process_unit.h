#pragma once
#include <string>

#include "base/json_fwd.h"

namespace berth::host::resources {

/// The unit file of a declared process: notifying, watched, always started again, under its own account, with
/// its credentials loaded by systemd. No start limit: a process that fails often is still started.
std::string process_unit_text(const Json& declared, const std::string& engine_unit);

}  // namespace berth::host::resources
