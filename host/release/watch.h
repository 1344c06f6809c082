#pragma once
#include <filesystem>

#include "base/clock.h"
#include "base/result.h"
#include "base/seam.h"
#include "host/release/switch.h"
#include "host/resources/units.h"

namespace berth::host::release {

/// `berth-host watch-release`: the old program beside the new. Points the link at the release on trial and
/// restarts the host, waits for its proof in the store, and at the deadline, or once there can be none, points the link
/// back, clears the unit's failures and starts the old release. Run again after a crash or a reboot it goes on; the deadline
/// is a wall-clock time. Ends with its own unit disabled.
struct Watched {
  const Places& places;
  std::filesystem::path store;
  resources::Units& units;
  const Clock& clock;
  Seam& seam;
  std::function<void(std::chrono::milliseconds)> pause;
};
Status watch_release(const Watched& watched);

}  // namespace berth::host::release
