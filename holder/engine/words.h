#pragma once
#include <string>
#include <string_view>

#include "holder/engine/engine.h"

namespace berth::holder::engine {

/// The contract's word for a state an engine says; "unknown" for one we do not know.
std::string state_word(std::string_view engine_state);
/// healthy, unhealthy, starting or none.
std::string health_word(std::string_view engine_health);
/// What a list's status text says of health: "Up 2 minutes (healthy)", "Up 1 second (health: starting)".
std::string health_in_status(std::string_view status);
/// The number in "Exited (137) 3 minutes ago" and "Restarting (1) …"; 0 where there is none.
int exit_code_in_status(std::string_view status);
/// The engine's time with nine digits in UTC; empty for its zero time and for what is no time.
std::string time_text(std::string_view engine_time);
/// Seconds since 1970; nothing for what is no time of the years 1970 to 2199.
std::optional<Time> time_of_seconds(std::int64_t seconds);
/// The same as text, empty for nothing.
std::string seconds_text(std::int64_t seconds);
/// Podman leaves "sha256:" out here and there.
std::string image_id(std::string_view id);
/// A container's own name among "/name" and the links to it, "/other/alias".
std::string own_name(const std::vector<std::string>& names);

inline constexpr std::string_view kHeldLabel = "mesh-host.id";
inline constexpr std::string_view kComposeLabel = "com.docker.compose.project";

/// Fills assignment and compose_project from the labels.
void read_labels(Summary& summary);

}  // namespace berth::holder::engine
