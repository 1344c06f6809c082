#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

namespace berth::holder::events {

/// A wait that another thread, or the stop, can cut short. A poke given before the wait counts.
class Poke {
 public:
  void poke() {
    {
      const std::scoped_lock lock{mutex_};
      poked_ = true;
    }
    changed_.notify_all();
  }
  void wait(std::stop_token stop, std::chrono::milliseconds limit) {
    std::unique_lock lock{mutex_};
    changed_.wait_for(lock, stop, limit, [&] { return poked_; });
    poked_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool poked_ = false;
};

/// How long to wait after the n-th failure in a row.
class Backoff {
 public:
  Backoff(std::chrono::milliseconds first, std::chrono::milliseconds most)
      : first_(first), most_(most), next_(first) {}
  std::chrono::milliseconds next() { return std::exchange(next_, std::min(most_, next_ * 2)); }
  void reset() { next_ = first_; }

 private:
  std::chrono::milliseconds first_, most_, next_;
};

}  // namespace berth::holder::events
