#include "holder/serve/work_pool.h"

#include <utility>

namespace berth::holder::serve {

WorkPool::~WorkPool() {
  std::unique_lock lock{mutex_};
  ending_ = true;
  line_.clear();
  changed_.notify_all();
  changed_.wait(lock, [&] { return threads_.empty(); });
  join_ended(lock);
}

bool WorkPool::offer(std::function<void()> work) {
  std::unique_lock lock{mutex_};
  join_ended(lock);
  if (ending_ || underway_ >= options_.most + options_.waiting) return false;
  line_.push_back(std::move(work));
  if (++underway_ > threads_.size() && threads_.size() < options_.most) add_thread();
  changed_.notify_one();
  return true;
}

void WorkPool::add_thread() {
  const auto place = threads_.emplace(threads_.end());
  *place = std::thread{[this, place] { run(place); }};
}

void WorkPool::run(Threads::iterator self) {
  std::unique_lock lock{mutex_};
  while (!ending_) {
    const bool has_work = changed_.wait_for(lock, options_.idle, [&] { return ending_ || !line_.empty(); });
    if (!has_work || ending_) break;
    auto work = std::move(line_.front());
    line_.pop_front();
    lock.unlock();
    work();
    work = nullptr;  // what it holds goes without the lock
    lock.lock();
    --underway_;
  }
  ended_.splice(ended_.end(), threads_, self);
  changed_.notify_all();
}

/// Whoever comes next joins those that went; they hold no lock any more but for a moment.
void WorkPool::join_ended(std::unique_lock<std::mutex>& lock) {
  Threads gone = std::exchange(ended_, {});
  if (gone.empty()) return;
  lock.unlock();
  for (auto& thread : gone) thread.join();
  lock.lock();
}

}  // namespace berth::holder::serve
