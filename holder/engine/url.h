#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"

namespace berth::holder::engine {

/// One segment of a path, everything but letters, digits, '-', '_', '.' and '~' percent-encoded: a name can
/// never become a path, a query or another segment.
std::string url_segment(std::string_view text);

/// An image reference as a path: its own slashes stay. Errc::bad_request for one that would walk ("..",
/// "//").
Result<std::string> url_image(std::string_view reference);

/// "?a=1&b=2", both sides encoded; members whose value is empty are left out.
std::string url_query(std::initializer_list<std::pair<std::string_view, std::string>> members);

/// A time as the engine's `since` and `until` take it: "1795969677.634314605".
std::string engine_time(Time time);

}  // namespace berth::holder::engine
