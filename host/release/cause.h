#pragma once
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "host/release/trial.h"
#include "host/resources/units.h"
#include "store/store.h"

namespace berth::host::release {

/// Why a release on trial has not proved itself, as far as can be seen from outside of it: its unit's last end
/// and what it wrote, the version that the host there says it is, or its newest report. `since` is when it was
/// started. Never an error: going back does not wait for a reason.
std::string why_not_proven(const Trial& trial, Time since, const std::filesystem::path& store,
                           resources::Units& units);

/// What there was before the new host was started. Told apart by order: a clock that steps back makes what was said before
/// look newer.
struct Before {
  std::int64_t report = 0;  // the newest one's seq
  std::int64_t pid = 0;     // of the host that ran
};
Before look_before(const std::filesystem::path& store, resources::Units& units);

/// Why it cannot prove itself any more, so that nobody need wait for the deadline: its unit has given up, or the host that
/// was started for it says it is another version. Empty while it still may.
std::string why_never(const Trial& trial, const Before& before, const std::filesystem::path& store, resources::Units& units);

/// Beside the trial, so that a release that does not know of it reads its trial all the same.
Status keep_cause(store::Store& store, const std::string& cause);
Result<std::string> kept_cause(store::Store& store);

}  // namespace berth::host::release
