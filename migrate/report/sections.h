#pragma once
#include <string>

#include "base/json_fwd.h"

namespace berth::migrate::report_detail {

// The parts of the page, each from the report's document.

std::string overview_section(const Json& report);
std::string runs_section(const Json& report);
std::string machine_section(const Json& machine);

/// A unified difference with its lines coloured.
std::string difference(const std::string& text);

/// The page's style; nothing is fetched from anywhere.
extern const char* const kStyle;

}  // namespace berth::migrate::report_detail
