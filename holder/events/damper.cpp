#include "holder/events/damper.h"

#include <algorithm>

namespace berth::holder::events {

bool Damper::admits(const std::string& id, Time at) {
  auto [found, fresh] = buckets_.try_emplace(id);
  auto& bucket = found->second;
  if (!fresh && at > bucket.at) {
    const std::chrono::duration<double> passed = at - bucket.at;
    bucket.left = std::min(kBurst, bucket.left + passed.count() * kPerSecond);
  }
  bucket.at = std::max(bucket.at, at);
  // Once held back, it stays so until its notice: state told in between would be of nowhere.
  if (bucket.held == 0 && bucket.left >= 1) {
    bucket.left -= 1;
    return true;
  }
  if (bucket.held++ == 0) bucket.held_from = at;
  bucket.held_to = std::max(bucket.held_to, at);
  return false;
}

std::vector<Damper::Held> Damper::due(Time now) {
  std::vector<Held> held;
  for (auto it = buckets_.begin(); it != buckets_.end();) {
    auto& [id, bucket] = *it;
    if (bucket.held > 0 && now - bucket.held_from >= kNoticeAfter) {
      held.push_back({id, bucket.held_from, bucket.held_to, bucket.held});
      bucket.held = 0;
    }
    const bool idle = bucket.held == 0 && now - bucket.at > std::chrono::minutes{2};
    it = idle ? buckets_.erase(it) : std::next(it);
  }
  return held;
}

std::optional<Damper::Held> Damper::forget(const std::string& id) {
  const auto found = buckets_.find(id);
  if (found == buckets_.end()) return std::nullopt;
  const auto bucket = found->second;
  buckets_.erase(found);
  if (bucket.held == 0) return std::nullopt;
  return Held{id, bucket.held_from, bucket.held_to, bucket.held};
}

}  // namespace berth::holder::events
