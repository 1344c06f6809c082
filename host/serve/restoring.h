#pragma once
#include <chrono>
#include <map>
#include <string>

namespace berth::host::serve {

/// When a held container that ended or went is looked after: at once, but not over and over for one that ends
/// each time it is started; from its second end within a minute on it waits, each time twice as long, at most
/// as long as the periodic apply would let it wait. One thread.
class Restoring {
 public:
  using Steady = std::chrono::steady_clock;
  explicit Restoring(std::chrono::seconds longest) : longest_(longest) {}

  Steady::time_point due(const std::string& container, Steady::time_point now);

 private:
  struct One {
    Steady::time_point last;
    std::chrono::seconds delay{0};
  };
  std::chrono::seconds longest_;
  std::map<std::string, One> known_;  // those that ended lately
};

}  // namespace berth::host::serve
