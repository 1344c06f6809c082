#pragma once
#include <algorithm>
#include <map>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/seam.h"

namespace berth::holder::events {

/// Which containers this holder has just asked the engine to end: not every engine says so in its events.
/// Every changing request passes the seam before it is sent, and so passes here. Any thread.
class AskedEnds final : public Seam {
 public:
  static constexpr std::chrono::seconds kReach{30};  // an end later than this had another cause
  static constexpr std::size_t kShortId = 12;        // a shorter start of an id may be another's name

  AskedEnds(Seam& next, const Clock& clock) : next_(next), clock_(clock) {}

  Status before(std::string_view act, std::string_view target) override {
    if (act == "engine.stop" || act == "engine.restart" || act == "engine.remove") note(std::string{target});
    return next_.before(act, target);
  }
  /// What an earlier process of this holder had begun to ask when it ended, as its caller named the
  /// container.
  void recall(const std::string& reference, Time at) {
    asked_.with([&](auto& asked) { asked.insert_or_assign(reference, at); });
  }
  /// Whether an end at `at` was asked for. Each asking counts for one end.
  bool explain(const std::string& id, const std::string& name, Time at) {
    return asked_.with([&](auto& asked) {
      const auto found = std::ranges::find_if(asked, [&](const auto& row) {
        const auto& [reference, since] = row;
        return means(reference, id, name) && at >= since && at - since <= kReach;
      });
      const bool it_is = found != asked.end();
      if (it_is) asked.erase(found);
      return it_is;
    });
  }

 private:
  static bool means(const std::string& reference, const std::string& id, const std::string& name) {
    return reference == id || reference == name ||
           (reference.size() >= kShortId && id.starts_with(reference));
  }
  void note(std::string container) {
    const auto now = clock_.now();
    asked_.with([&](auto& asked) {
      std::erase_if(asked, [&](const auto& row) { return now - row.second > kReach; });
      asked.insert_or_assign(std::move(container), now);
    });
  }

  Seam& next_;
  const Clock& clock_;
  Guarded<std::map<std::string, Time>> asked_;
};

}  // namespace berth::holder::events
