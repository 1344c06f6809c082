#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "holder/engine/engine.h"

namespace berth::holder::events {

/// What the reader hands to the keeper. The reader never waits here: past the bound it drops, and the count
/// of what it dropped is the news that there is a gap.
class Intake {
 public:
  explicit Intake(std::size_t bound) : bound_(bound) {}

  // The reader's side.
  void push(engine::RawEvent event);
  /// A stream has been opened with this engine; `after_loss` when an earlier one had broken off.
  struct Connected {
    std::shared_ptr<engine::Engine> engine;
    bool after_loss = false;
  };
  void connected(Connected connected);
  void disconnected() { streaming_ = false; }

  /// Cuts the keeper's wait short: something else has changed.
  void wake();

  // The keeper's side.
  struct Taken {
    std::vector<engine::RawEvent> events;
    std::optional<Connected> connected;  // before the events
    std::int64_t dropped = 0;            // after them
  };
  /// Waits, at most `limit`, for something to take; takes at most `most` events, none from beyond a connect.
  Taken take(std::stop_token stop, std::size_t most, std::chrono::milliseconds limit);
  /// Whether a stream is being read: what a list shows otherwise may still come as an event.
  bool is_streaming() const { return streaming_; }
  /// The events that are there now, none from beyond a connect.
  std::vector<engine::RawEvent> take_waiting();

 private:
  std::vector<engine::RawEvent> front(std::size_t most);

  const std::size_t bound_;
  std::mutex mutex_;
  std::condition_variable_any more_;
  std::deque<engine::RawEvent> events_;
  std::optional<Connected> connected_;
  std::size_t before_connect_ = 0;  // how many of events_ came before it
  std::int64_t dropped_ = 0;
  bool woken_ = false;
  std::atomic<bool> streaming_ = false;
};

}  // namespace berth::holder::events
