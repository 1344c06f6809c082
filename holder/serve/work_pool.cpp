#include "holder/serve/work_pool.h"

#include <utility>

namespace berth::holder::serve {

WorkPool::WorkPool(std::size_t threads, std::size_t waiting) : waiting_(waiting) {
  for (std::size_t i = 0; i < threads; ++i)
    threads_.emplace_back([this](std::stop_token stop) { run(stop); });
}

WorkPool::~WorkPool() {
  for (auto& thread : threads_) thread.request_stop();
  threads_.clear();
}

bool WorkPool::offer(std::function<void()> work) {
  {
    const std::scoped_lock lock{mutex_};
    if (line_.size() >= waiting_) return false;
    line_.push_back(std::move(work));
  }
  more_.notify_one();
  return true;
}

void WorkPool::run(std::stop_token stop) {
  std::unique_lock lock{mutex_};
  while (more_.wait(lock, stop, [&] { return !line_.empty(); }) && !stop.stop_requested()) {
    const auto work = std::exchange(line_.front(), nullptr);
    line_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace berth::holder::serve
