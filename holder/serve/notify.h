#pragma once
#include <chrono>
#include <optional>

namespace berth::holder::serve {

// What systemd is told; nothing where no systemd asks.
void notify_ready();
void notify_stopping();
void notify_watchdog();
/// How often the unit's watchdog wants to hear of us; half of what it allows.
std::optional<std::chrono::milliseconds> watchdog_period();

}  // namespace berth::holder::serve
