#pragma once
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "store/store.h"

namespace berth::host::release {

/// A release on trial (setting `trial`): written durably by the old host before it switches, proven by the
/// new host with its first good apply, or ended by the watch at the deadline.
struct Trial {
  std::string version;   // being tried
  std::string folder;    // its folder
  std::string previous;  // the version to go back to
  std::string previous_folder;
  std::string deadline;  // RFC 3339
  std::string state;     // waiting, done, failed
  Json document() const;
};

Result<std::optional<Trial>> read_trial(store::Store& store);
Status write_trial(store::Store& store, const Trial& trial);

/// The new host's proof: called after an apply that reached the runtime and did not fail. Ends a waiting
/// trial of this version.
Status prove(store::Store& store, const std::string& version);

}  // namespace berth::host::release
