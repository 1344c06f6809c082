#pragma once
#include <chrono>

namespace berth::host::serve {

/// When the host applies next of its own accord: `every` after an apply that went well. After one that did not, or that no
/// path carried, soon, since most causes pass by themselves (an engine that is started again) and a release on trial has
/// less time than `every` to prove itself; each time twice as long, at most `every`. One thread.
class Pace {
 public:
  explicit Pace(std::chrono::seconds every) : every_(every) {}
  std::chrono::seconds after(bool well);

 private:
  std::chrono::seconds every_;
  std::chrono::seconds delay_{0};
};

}  // namespace berth::host::serve
