#pragma once
// The cases of the policy say what somebody wants in the Engine API's terms, the one language in which a
// caller's wish and an engine's answer can be compared. Here that becomes a request of ours.
#include <string>

#include "base/json_fwd.h"

namespace berth::test {

/// What a case asks for as our verb's params: each member under our name for it, in the nearest spelling of
/// the same wish. A member that we have no word for stays, under its name in snake_case, to be refused.
/// `host`: the host may say more, and in long forms ("mesh-host.id" by `assignment`).
Json our_params(const std::string& verb, const Json& intent, bool host);

/// Our name for the field a case names: "HostConfig.Mounts[0].Type" is a member of "volumes".
std::string our_member(const std::string& engine_field);

}  // namespace berth::test
