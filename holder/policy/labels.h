#pragma once
#include <string_view>

namespace berth::holder::policy {

/// Whose declaration a container, network or volume belongs to. Only the host's socket sets it.
inline constexpr std::string_view kHeldLabel = "mesh-host.id";
/// Which bus caller made it. Only the holder sets it, from the authenticated caller.
inline constexpr std::string_view kCallerLabel = "mesh-holder.caller";

}  // namespace berth::holder::policy
