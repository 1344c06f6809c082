#pragma once
#include <string_view>

namespace berth::holder::policy {

/// Whose declaration a container, network or volume belongs to. Only the host's socket sets it.
inline constexpr std::string_view kHeldLabel = "mesh-host.id";
/// Which bus caller made it. Only the holder sets it, from the authenticated caller.
inline constexpr std::string_view kCallerLabel = "mesh-holder.caller";
/// What takes another's place says whose, whether that one ran, and its name: "<id> <running|stopped> <name>".
/// Only the holder sets it; what a crash left of a replacement is ended by it.
inline constexpr std::string_view kReplacesLabel = "mesh-holder.replaces";

}  // namespace berth::holder::policy
