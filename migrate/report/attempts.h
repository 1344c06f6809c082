#pragma once
#include "base/json_fwd.h"
#include "base/result.h"
#include "migrate/report/records.h"

namespace berth::migrate::report_detail {

/// Every attempt at a step of a machine, oldest first: [{"attempt", "began_at", "ended_at", "state", "token",
/// "runner", "push_id", "error", "proof"}]; a back-out is one too, with a time of its end only. A store that was
/// written before attempts were remembered answers the last one.
Result<Json> attempts_of(const MachineRecords& records, const StepRun& row);

}  // namespace berth::migrate::report_detail
