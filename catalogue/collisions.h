#pragma once
#include "base/json_fwd.h"
#include "base/result.h"

namespace berth::catalogue {

/// Two resources of one machine that would write the same thing: a package, a unit, a container's name, a
/// file, or the same member of one JSON file. A JSON file may have several owners of distinct members, but
/// one that a module holding a seat writes has that owner alone: the runtime's file is the runtime's.
/// Errc::collision names both owners. `modules` is a declaration's list, resolved.
Status check_collisions(const Json& modules, const std::string& machine);

}  // namespace berth::catalogue
