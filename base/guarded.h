#pragma once
#include <mutex>
#include <utility>

namespace berth {

/// A value that can only be reached under its lock: no lock, no access. No I/O inside `with`.
template <class T>
class Guarded {
 public:
  template <class... Args>
  explicit Guarded(Args&&... args) : value_(std::forward<Args>(args)...) {}

  template <class F>
  decltype(auto) with(F&& f) {
    const std::scoped_lock lock{mutex_};
    return std::forward<F>(f)(value_);
  }
  template <class F>
  decltype(auto) with(F&& f) const {
    const std::scoped_lock lock{mutex_};
    return std::forward<F>(f)(value_);
  }

 private:
  mutable std::mutex mutex_;
  T value_;
};

}  // namespace berth
