#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>

namespace berth::host::serve {

/// A bounded queue between the library's threads, which only put, and one worker, which takes. Full: `put`
/// says no, and the asker is told `busy`.
template <class T>
class Queue {
 public:
  explicit Queue(std::size_t bound) : bound_(bound) {}

  bool put(T task) {
    {
      const std::scoped_lock lock{mutex_};
      if (tasks_.size() >= bound_) return false;
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
    return true;
  }

  /// The next task; nothing when `until` passed or `stop` was asked for.
  std::optional<T> take(std::stop_token stop, std::chrono::steady_clock::time_point until) {
    std::unique_lock lock{mutex_};
    wake_.wait_until(lock, stop, until, [&] { return !tasks_.empty(); });
    if (tasks_.empty() || stop.stop_requested()) return std::nullopt;
    T task = std::move(tasks_.front());
    tasks_.pop_front();
    return task;
  }

 private:
  std::size_t bound_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<T> tasks_;
};

}  // namespace berth::host::serve
