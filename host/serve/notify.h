#pragma once
#include <chrono>
#include <string>

namespace berth::host::serve {

/// What systemd is told; nothing where no service manager listens.
void notify_ready(const std::string& status);
void notify_stopping();
void notify_alive();
/// How often systemd wants to hear that we live: half of WatchdogSec, at most 30 s.
std::chrono::milliseconds alive_every();

}  // namespace berth::host::serve
