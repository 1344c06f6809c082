#pragma once
#include <string>
#include <string_view>

namespace berth::migrate {

/// The unified difference of two texts, three lines of context, as `diff -u` prints it; empty when they are
/// equal. A carriage return is shown as ␍, so that an odd line end can be seen.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view name);

}  // namespace berth::migrate
