#include "host/serve/pace.h"

#include <algorithm>

namespace berth::host::serve {
namespace {

constexpr std::chrono::seconds kSoon{5};

}  // namespace

std::chrono::seconds Pace::after(bool well) {
  delay_ = well ? std::chrono::seconds{0} : std::min(every_, delay_.count() == 0 ? kSoon : 2 * delay_);
  return well ? every_ : delay_;
}

}  // namespace berth::host::serve
