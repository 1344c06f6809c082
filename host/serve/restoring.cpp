#include "host/serve/restoring.h"

#include <algorithm>

namespace berth::host::serve {
namespace {

constexpr std::chrono::seconds kCalm{60};

}  // namespace

Restoring::Steady::time_point Restoring::due(const std::string& container, Steady::time_point now) {
  std::erase_if(known_, [&](const auto& one) { return now - one.second.last > kCalm + 2 * one.second.delay; });
  const auto [at, fresh] = known_.try_emplace(container, One{now});
  auto& one = at->second;
  one.last = now;
  if (fresh) return now;
  // One end is told by more than one event: the second within the same moment is no second end.
  one.delay = std::min(longest_, one.delay.count() == 0 ? std::chrono::seconds{1} : 2 * one.delay);
  return now + one.delay;
}

}  // namespace berth::host::serve
