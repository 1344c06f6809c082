#pragma once
#include <functional>
#include <thread>

#include "base/seam.h"

namespace berth::test {

/// Lets the n-th act through to something that dies that long afterwards: at once, it is refused; a little
/// later, nobody knows whether it was done; later still, what was asked for is waited for in vain.
class Dying final : public Seam {
 public:
  Dying(std::function<void()> kill, std::size_t at, std::chrono::milliseconds after)
      : kill_(std::move(kill)), left_(at), after_(after) {}
  Status before(std::string_view, std::string_view) override {
    if (fired_ || left_-- > 0) return {};
    fired_ = true;
    if (after_.count() == 0)
      kill_();
    else
      death_ = std::jthread{[this] {
        std::this_thread::sleep_for(after_);
        kill_();
      }};
    return {};
  }
  /// Whether it is dead, of this.
  bool fired() {
    if (death_.joinable()) death_.join();
    return fired_;
  }

 private:
  const std::function<void()> kill_;
  std::size_t left_;
  const std::chrono::milliseconds after_;
  bool fired_ = false;
  std::jthread death_;
};

}  // namespace berth::test
