#include "host/release/watch.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "host/release/cause.h"
#include "host/release/link.h"
#include "host/release/trial.h"

namespace berth::host::release {
namespace {

constexpr std::chrono::milliseconds kLook{500};

/// Reads through its own handle each time: the host may be down, starting or replaced meanwhile.
Result<std::optional<Trial>> look(const Watched& watched) {
  auto store = TRY(store::Store::open_read_only(watched.store));
  return read_trial(store);
}

/// Whatever became of the new one, the old one must run. A store that cannot be written does not keep it from that.
Status go_back(const Watched& watched, Trial trial, const std::string& cause) {
  log::error("the release did not prove itself; going back",
             {{"version", trial.version}, {"previous", trial.previous}, {"deadline", trial.deadline}, {"cause", cause}});
  if (const auto stopped = watched.units.stop(kHostUnit); !stopped) {
    log::warn("the new host did not stop", {{"cause", to_text(stopped.error())}});
  }
  TRY(point_link(watched.places.link(), trial.previous_folder, watched.seam));
  trial.state = "failed";
  const auto noted = [&]() -> Status {
    auto store = TRY(store::Store::open(watched.store, store::Role::host, watched.clock, watched.seam));
    return store.transaction([&]() -> Status {
      TRY(keep_cause(store, cause));
      return write_trial(store, trial);
    });
  }();
  if (!noted) log::error("that the trial failed could not be noted", {{"cause", to_text(noted.error())}});
  // After its start limit every start is refused.
  TRY(watched.units.reset_failed(kHostUnit));
  return watched.units.start(kHostUnit);
}

Status retire(const Watched& watched) {
  TRY(watched.units.disable(kWatchUnit));
  TRY(remove_file(watched.places.root / ("etc/systemd/system/" + std::string{kWatchUnit}), watched.seam));
  return watched.units.daemon_reload();
}

}  // namespace

Status watch_release(const Watched& watched) {
  auto trial = TRY(look(watched));
  const auto since = watched.clock.now();
  const auto before = look_before(watched.store, watched.units);
  if (trial && trial->state == "waiting") {
    TRY(point_link(watched.places.link(), trial->folder, watched.seam));
    // What the last host was asked to do it has done when it ends: its answer is sent before it stops.
    if (const auto restarted = watched.units.begin_restart(kHostUnit); !restarted) {
      log::warn("the new host did not start", {{"cause", to_text(restarted.error())}});
    }
  }
  const auto deadline = trial ? TRY(parse_rfc3339(trial->deadline)) : Time{};
  while (trial && trial->state == "waiting") {
    const bool late = watched.clock.now() >= deadline;
    const auto cause = late ? why_not_proven(*trial, since, watched.store, watched.units)
                            : why_never(*trial, before, watched.store, watched.units);
    if (late || !cause.empty()) {
      TRY(go_back(watched, *trial, cause));
      break;
    }
    watched.pause(kLook);
    // Between two hosts the store may not be readable for a moment; that is no proof either way.
    if (auto now = look(watched)) trial = std::move(now).value();
  }
  return retire(watched);
}

}  // namespace berth::host::release
