#pragma once
#include "base/json_fwd.h"
#include "base/result.h"
#include "migrate/report/records.h"

namespace berth::migrate::report_detail {

/// One machine's section of the report, as docs/formats.md has it.
Result<Json> machine_document(const MachineRecords& records, const std::string& platform);

}  // namespace berth::migrate::report_detail
