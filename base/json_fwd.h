#pragma once
#include <nlohmann/json_fwd.hpp>

namespace berth {
/// Members in name order, so that dump() of equal documents is equal: what is hashed is this text.
using Json = nlohmann::json;
}  // namespace berth
