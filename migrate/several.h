#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace berth::migrate {

/// How many machines are asked at the same time where nothing is done to them: one that is off costs its time limit, and
/// of a thousand machines fifty are.
constexpr std::size_t kAskedAtOnce = 16;

/// Calls `one` for each name, at most `at_once` at the same time, until `goes_on` says no. What `one` throws ends the rest
/// and is thrown here, once those under way have ended: as if it had been called from here.
void several(const std::vector<std::string>& names, std::size_t at_once, const std::function<bool()>& goes_on,
             const std::function<void(const std::string&)>& one);

}  // namespace berth::migrate
