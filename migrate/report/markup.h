#pragma once
#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json_fwd.h"

namespace berth::migrate::report_detail {

/// Text as HTML and SVG show it: nothing in it is markup, bytes that are no UTF-8 are replaced, and a control
/// character stands there as the picture Unicode has for it.
std::string escaped(std::string_view text);

/// "2026-11-29 19:30:33 UTC" of a stamp as documents have it; a dash for null.
std::string instant(const Json& stamp);
/// "19:30:33".
std::string clock_time(Time time);
/// "0.4 s", "12 s", "3 min 20 s", "2 h 5 min", "3 d 4 h".
std::string duration(std::chrono::milliseconds length);

/// A coloured word: done, failed, running, backed_out, pending, set aside.
std::string chip(std::string_view state);

/// A member as text; a dash where it is null or missing.
std::string shown(const Json& object, std::string_view member);

/// A document as it may stand inside a <script>: nothing in it ends the element.
std::string inside_script(const Json& document);

}  // namespace berth::migrate::report_detail
