#pragma once
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"

namespace berth::migrate {

/// What became of the containers that ran: from two lists (snapshot's `containers`) before and after.
struct Kinship {
  std::vector<std::string> same;  // same pid and started_at
  std::vector<std::string>
      restarted;  // another process, and not by its own restart policy: the count that must be 0
  std::vector<std::string> ended;  // ended, or was started again by its restart policy: no act of ours
  std::vector<std::string> fresh;  // was not there before
};
Kinship compare_containers(const Json& before, const Json& after);

/// {"same": n, "restarted": […], "ended": […], "new": […]} for a proof.
Json kinship_document(const Kinship& kinship);

/// Errc::failed naming every container that was restarted.
Status no_restarts(const Kinship& kinship, const std::string& machine);

}  // namespace berth::migrate
