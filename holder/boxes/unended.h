#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "holder/boxes/runtime.h"

namespace berth::holder::boxes {

/// The marks of processes that could not be ended because the runtime did not answer: they are ended before
/// anything else is started in their place, as soon as it does again, and at the latest with it. Any thread.
class Unended {
 public:
  void add(const Place& place, const std::string& mark) {
    marks_.with([&](auto& marks) { marks[place].push_back(mark); });
  }
  /// What is to be ended there now. What fails again is added again.
  std::vector<std::string> take(const Place& place) {
    return marks_.with([&](auto& marks) {
      auto found = marks.extract(place);
      return found.empty() ? std::vector<std::string>{} : std::move(found.mapped());
    });
  }

 private:
  Guarded<std::map<Place, std::vector<std::string>>> marks_;
};

}  // namespace berth::holder::boxes
