#pragma once
#include <nats/nats.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace berth::bus {

/// What the library's callbacks know about one connection: that it ended and why, and which subjects the
/// broker refused, which no call answers. Fed by the library's threads, asked by any.
class Watch {
 public:
  explicit Watch(std::function<void()> ended) : on_ended_(std::move(ended)) {}

  // Callbacks of the library.
  void ended(std::string why);
  void async_error(natsStatus status, std::string_view text);

  /// From here on nobody is told of the end; returns when nobody is being told any more.
  void silence();

  bool has_ended() const;
  /// Whether the newest error told here is not yet the one that the connection itself names.
  bool is_behind(std::string_view newest) const;
  std::string why() const;
  /// Refusals have numbers in order of arrival; this is the newest one's.
  std::uint64_t newest() const;
  /// Whether a publish to `subject` was refused after number `mark`; a refusal is told once.
  bool take_publish_refusal(std::string_view subject, std::uint64_t mark);
  /// Any publish refused that nobody was told of yet.
  std::optional<std::string> take_any_publish_refusal();
  /// The subscriptions refused and not made anew since.
  std::set<std::string> refused_subscriptions() const;
  void subscription_retried(const std::string& subject);

 private:
  struct Refusal {
    std::uint64_t number;
    std::string subject;
  };
  std::mutex telling_;  // held while somebody is told; taken before mutex_
  std::function<void()> on_ended_;
  mutable std::mutex mutex_;
  std::optional<std::string> why_;
  std::string last_error_;
  std::uint64_t newest_ = 0;
  std::deque<Refusal> publishes_;  // at most 256, the oldest goes first
  std::set<std::string> subscriptions_;
};

}  // namespace berth::bus
