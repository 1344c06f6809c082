#pragma once
// What a create request made for a bus caller may hold at most, said once more and by other means than the
// holder's own judgement: an allow-list of the Engine API's members and their values.
#include <string>
#include <vector>

#include "base/json_fwd.h"

namespace berth::test {

/// Everything in the body that could give its container a path, namespace or device of the machine, a right
/// beyond the set, or a label that is not its caller's; empty when there is nothing. Whatever is not known to be
/// harmless counts.
std::vector<std::string> dangers_in(const Json& body, const std::string& caller);

}  // namespace berth::test
