#pragma once
// What an engine says of a container, held against what a case asked for in the same terms.
#include <string>
#include <vector>

#include "base/json_fwd.h"

namespace berth::test {

/// Where the engine's inspect says other than the create's body, each difference in words.
std::vector<std::string> differences(const Json& asked, const Json& seen, bool podman);

/// What of an inspect a bus caller's container may not have, and what it must have that nobody asked for.
std::vector<std::string> unconfined(const Json& seen, bool podman);

}  // namespace berth::test
