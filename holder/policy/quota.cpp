#include "holder/policy/quota.h"

#include <algorithm>

#include "holder/policy/labels.h"

namespace berth::holder::policy {

Quota::Place::~Place() {
  if (!quota_) return;
  quota_->making_.with([&](auto& making) {
    if (--making[caller_] == 0) making.erase(caller_);
  });
}

Result<Quota::Place> Quota::take(engine::Engine& engine, const std::string& caller, std::int64_t most) {
  Place place{*this, caller};
  const auto making = making_.with([&](auto& all) { return ++all[caller]; });
  const auto list = TRY(engine.list());
  const auto has = std::ranges::count_if(list, [&](const engine::Summary& container) {
    const auto label = container.labels.find(std::string{kCallerLabel});
    return label != container.labels.end() && label->second == caller;
  });
  if (has + making > most) {
    return fail(Errc::conflict, caller + " has " + std::to_string(has) +
                                    " containers on this machine, of at most " + std::to_string(most) +
                                    ": remove one first");
  }
  return place;
}

}  // namespace berth::holder::policy
