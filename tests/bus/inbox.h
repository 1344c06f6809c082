#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bus/bus.h"

namespace berth::test {

/// Collects what a subscription delivers, so that a test can wait for it.
class Inbox {
 public:
  auto handler() {
    return [this](bus::Message message) {
      const std::scoped_lock lock{mutex_};
      messages_.push_back(std::move(message));
      changed_.notify_all();
    };
  }
  bool holds(std::size_t count, std::chrono::milliseconds limit = std::chrono::seconds{5}) {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, limit, [&] { return messages_.size() >= count; });
  }
  std::vector<bus::Message> messages() {
    const std::scoped_lock lock{mutex_};
    return messages_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bus::Message> messages_;
};

/// Whether `what` becomes true within `limit`.
template <class F>
bool soon(F what, std::chrono::milliseconds limit = std::chrono::seconds{8}) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!what()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  return true;
}

}  // namespace berth::test
