#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace berth::holder::serve {

/// Threads that come as work does and go when there is none, and a bounded line before them. Any thread may
/// offer work. Ending it drops what waits and waits for what runs.
class WorkPool {
 public:
  struct Options {
    std::size_t most = 64;     // threads: a call blocks its own for as long as the engine takes
    std::size_t waiting = 64;  // work beyond them
    std::chrono::milliseconds idle{10'000};  // and then a thread goes, the last one too
  };
  explicit WorkPool(Options options) : options_(options) {}
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  /// False when all threads work and the line is full: the caller says so to whoever asked.
  bool offer(std::function<void()> work);

 private:
  using Threads = std::list<std::thread>;
  void add_thread();
  void run(Threads::iterator self);
  void join_ended(std::unique_lock<std::mutex>& lock);

  const Options options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> line_;
  Threads threads_, ended_;
  std::size_t underway_ = 0;  // taken and not done: in line or at work
  bool ending_ = false;
};

}  // namespace berth::holder::serve
