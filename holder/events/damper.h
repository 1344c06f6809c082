#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace berth::holder::events {

/// Holds back a container that fills the stream: a crash loop can make thirty events a second. Each has a
/// burst of its own and then a slow trickle; what is held back is counted, and the others are not delayed.
class Damper {
 public:
  static constexpr double kBurst = 60;
  static constexpr double kPerSecond = 1;
  static constexpr std::chrono::seconds kNoticeAfter{10};

  /// Whether one more event of this container goes out.
  bool admits(const std::string& id, Time at);

  struct Held {
    std::string id;
    Time from, to;
    std::int64_t count;
  };
  /// Those whose held-back events are due a notice; they are forgotten by it.
  std::vector<Held> due(Time now);
  /// What of a container that is gone was held back.
  std::optional<Held> forget(const std::string& id);

 private:
  struct Bucket {
    double left = kBurst;
    Time at;
    Time held_from, held_to;
    std::int64_t held = 0;
  };
  std::map<std::string, Bucket> buckets_;
};

}  // namespace berth::holder::events
