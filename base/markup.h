#pragma once
#include <string>
#include <string_view>

namespace berth {

/// Text as HTML, SVG and XML show it, between elements or as an attribute's value: nothing in it is markup,
/// bytes that are no UTF-8 are replaced, and a control character, which XML cannot carry, stands there as the
/// picture Unicode has for it.
std::string escaped_markup(std::string_view text);

}  // namespace berth
