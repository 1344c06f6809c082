#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "migrate/fleet_document.h"
#include "migrate/ledger.h"

namespace berth::migrate {

/// What is different between the document a migration was planned from and the one it is resumed with, one
/// line a member. Errc::drift when a done or running step depends on one of them, naming each. The machine-id of
/// a machine that is set aside may change whatever it has done: it is another machine, and begins anew.
Result<std::vector<std::string>> judge_change(const std::string& planned_from, const FleetDocument& now,
                                              const std::vector<StepRun>& runs,
                                              const std::vector<LedgerMachine>& machines);

}  // namespace berth::migrate
