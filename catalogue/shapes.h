#pragma once
#include <set>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"

namespace berth::catalogue {

/// Checks one resource as a manifest has it: a known type, the members of that type and no other, and none
/// required missing. Values may still be placeholders. `path` names it in errors ("docker.json:
/// resources[3]").
Status check_shape(const Json& resource, const std::string& path);

/// Checks one resource as a push has it: every required member still there after filling (Errc::unfilled)
/// and each of the type it must be.
Status check_resolved(const Json& resource, const std::string& path);

/// The ids that a resource's on_change or restart_on_change_of names.
std::set<std::string> ids_named(const Json& resource);

}  // namespace berth::catalogue
