#pragma once
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "host/path/path.h"

namespace berth::host::resources::container {

/// Whether an apply of this would make a container and touch none that is `there`: none is recorded or has
/// its name, and it joins no other's namespaces. Such ones may be made side by side.
bool is_only_made(const std::vector<path::Seen>& there, const Json& declared, const Json& before);

/// The networks and volumes by name that are made for it where they are missing.
std::vector<std::string> surroundings(const Json& declared);

/// Whether it is the recorded one, made of this very declaration and up where it must be: an apply has
/// nothing to do.
bool stays(const std::vector<path::Seen>& there, const Json& declared, const Json& before);

}  // namespace berth::host::resources::container
