#pragma once
#include <string>

#include "base/json_fwd.h"

namespace berth::migrate::report_detail {

/// The whole fleet's time line as an inline SVG: a row a machine, a bar an attempt in the colour of its step.
std::string fleet_chart(const Json& report);

/// One machine's: a row a step, one for its pushes and one for its reports.
std::string machine_chart(const Json& machine);

}  // namespace berth::migrate::report_detail
