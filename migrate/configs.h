#pragma once
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "catalogue/compose.h"
#include "migrate/differences.h"
#include "migrate/fleet_document.h"
#include "store/store.h"

namespace berth::migrate {

// What the operator's store keeps of a machine's configuration.

/// Who set each key, and what was decided, as of the newest snapshot.
Status keep_keys(store::Store& store, std::string_view machine, const std::vector<KeyFinding>& findings);
Status mark_waiting(store::Store& store, std::string_view machine, const std::vector<std::string>& keys);
/// The snapshot that step 1 kept. Errc::not_found when there is none.
Result<Json> kept_snapshot(store::Store& store, std::string_view machine);

/// The findings of a machine: what the catalogue plans there against its snapshot.
struct Compared {
  catalogue::PlannedEngine planned;
  std::vector<KeyFinding> findings;
};
Result<Compared> compare_machine(store::Store& store, const FleetDocument& fleet, std::string_view machine,
                                 const Json& snapshot);

Json findings_document(const std::vector<KeyFinding>& findings);

}  // namespace berth::migrate
