#include "holder/events/intake.h"

#include <algorithm>
#include <utility>

namespace berth::holder::events {

void Intake::push(engine::RawEvent event) {
  {
    const std::scoped_lock lock{mutex_};
    if (events_.size() >= bound_) {
      ++dropped_;
      return;
    }
    events_.push_back(std::move(event));
  }
  more_.notify_one();
}

void Intake::connected(Connected connected) {
  streaming_ = true;
  {
    const std::scoped_lock lock{mutex_};
    // Two in a row are one, and as bad as the worse of them.
    if (connected_)
      connected.after_loss = connected.after_loss || connected_->after_loss;
    else
      before_connect_ = events_.size();
    connected_ = std::move(connected);
  }
  more_.notify_one();
}

void Intake::wake() {
  {
    const std::scoped_lock lock{mutex_};
    woken_ = true;
  }
  more_.notify_one();
}

/// Under the lock.
std::vector<engine::RawEvent> Intake::front(std::size_t most) {
  const auto count = std::min({most, events_.size(), connected_ ? before_connect_ : events_.size()});
  std::vector<engine::RawEvent> taken;
  for (std::size_t i = 0; i < count; ++i) {
    taken.push_back(std::move(events_.front()));
    events_.pop_front();
  }
  before_connect_ -= std::min(before_connect_, count);
  return taken;
}

Intake::Taken Intake::take(std::stop_token stop, std::size_t most, std::chrono::milliseconds limit) {
  std::unique_lock lock{mutex_};
  more_.wait_for(lock, stop, limit, [&] { return !events_.empty() || connected_ || dropped_ > 0 || woken_; });
  woken_ = false;
  Taken taken;
  if (connected_ && before_connect_ == 0) taken.connected = std::exchange(connected_, std::nullopt);
  taken.events = front(most);
  if (events_.empty()) taken.dropped = std::exchange(dropped_, 0);
  return taken;
}

std::vector<engine::RawEvent> Intake::take_waiting() {
  const std::scoped_lock lock{mutex_};
  return front(bound_);
}

}  // namespace berth::holder::events
