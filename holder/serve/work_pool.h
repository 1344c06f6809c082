#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace berth::holder::serve {

/// A few threads and a bounded line before them. Any thread may offer work; ending it runs what was taken and
/// drops what was not.
class WorkPool {
 public:
  WorkPool(std::size_t threads, std::size_t waiting);
  ~WorkPool();

  /// False when the line is full: the caller says so to whoever asked.
  bool offer(std::function<void()> work);

 private:
  void run(std::stop_token stop);

  const std::size_t waiting_;
  std::mutex mutex_;
  std::condition_variable_any more_;
  std::deque<std::function<void()>> line_;
  std::vector<std::jthread> threads_;
};

}  // namespace berth::holder::serve
