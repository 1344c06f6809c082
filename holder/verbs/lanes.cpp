#include "holder/verbs/lanes.h"

#include <algorithm>
#include <iterator>

namespace berth::holder::verbs {

Lanes::Turn::Turn(Turn&& other) noexcept
    : rows_(std::move(other.rows_)), target_(std::move(other.target_)), began_(other.began_) {}

Lanes::Turn::~Turn() {
  if (!rows_) return;
  rows_->with([&](auto& rows) {
    const auto at = rows.find(target_);
    if (at == rows.end()) return;
    if (const auto one = at->second.find(began_); one != at->second.end()) at->second.erase(one);
    if (at->second.empty()) rows.erase(at);
  });
}

Result<Lanes::Turn> Lanes::enter(const std::string& target) {
  Turn turn;
  if (target.empty()) return turn;
  const auto now = Clock::now();
  const bool room = rows_->with([&](auto& rows) {
    auto& calls = rows[target];
    const auto slow = std::distance(calls.begin(), calls.lower_bound(now - kSlow));
    if (calls.size() >= kMost || static_cast<std::size_t>(slow) >= kMostSlow) return false;
    calls.insert(now);
    return true;
  });
  if (!room)
    return fail(Errc::busy, "as many calls about " + target + " as may be are under way, and it does not answer them");
  turn.rows_ = rows_;
  turn.target_ = target;
  turn.began_ = now;
  return turn;
}

}  // namespace berth::holder::verbs
