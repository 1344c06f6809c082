#include "holder/serve/notify.h"

#include <systemd/sd-daemon.h>

#include <cstdint>

namespace berth::holder::serve {

void notify_ready() { sd_notify(0, "READY=1"); }
void notify_stopping() { sd_notify(0, "STOPPING=1"); }
void notify_watchdog() { sd_notify(0, "WATCHDOG=1"); }

std::optional<std::chrono::milliseconds> watchdog_period() {
  std::uint64_t allowed_us = 0;
  if (sd_watchdog_enabled(0, &allowed_us) <= 0) return std::nullopt;
  return std::chrono::milliseconds{allowed_us / 2000};
}

}  // namespace berth::holder::serve
