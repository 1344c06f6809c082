#include "host/serve/notify.h"

#include <systemd/sd-daemon.h>

#include <algorithm>
#include <cstdint>

namespace berth::host::serve {

void notify_ready(const std::string& status) { ::sd_notify(0, ("READY=1\nSTATUS=" + status).c_str()); }
void notify_stopping() { ::sd_notify(0, "STOPPING=1"); }
void notify_alive() { ::sd_notify(0, "WATCHDOG=1"); }

std::chrono::milliseconds alive_every() {
  constexpr std::chrono::milliseconds kMost{30000};
  std::uint64_t bound_us = 0;
  if (::sd_watchdog_enabled(0, &bound_us) <= 0) return kMost;
  return std::clamp(std::chrono::milliseconds{bound_us / 2000}, std::chrono::milliseconds{100}, kMost);
}

}  // namespace berth::host::serve
