#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "bus/bus.h"
#include "bus/live.h"
#include "bus/wire.h"

namespace berth::bus {

/// The handler of one subscription. It runs under its own lock, so that taking it away waits for a call that
/// runs; taken away by its own call, that call is the last.
class Handler {
 public:
  Handler(std::string subject, std::function<void(Message)> run)
      : subject_(std::move(subject)), run_(std::move(run)) {}
  void call(Message message);
  void take_away();
  const std::string& subject() const { return subject_; }

 private:
  const std::string subject_;
  std::recursive_mutex mutex_;
  std::function<void(Message)> run_;
};

/// What is subscribed for as long as somebody wants it, and the library's subscriptions of the connection
/// that is up now. Any thread; no library call waits for a handler here.
class Handlers {
 public:
  void add(const std::shared_ptr<Handler>& handler);
  void remove(const std::shared_ptr<Handler>& handler);
  /// Subscribe one, or everything, on a connection where it is not yet.
  Status attach(const std::shared_ptr<Handler>& handler, Live& live);
  Status attach_all(Live& live);
  /// Asks again for what the broker refused on this connection.
  void retry_refused(Live& live);
  /// Lets go of the library's subscriptions: their connection has ended.
  void detach_all();

 private:
  struct Row {
    std::shared_ptr<Handler> handler;
    void* ticket = nullptr;
    NatsSubscription subscription;
    std::uint64_t on = 0;  // the number of the connection it is subscribed on
  };
  static Status attach_row(Row& row, Live& live);

  std::mutex mutex_;
  std::map<Handler*, Row> rows_;
};

}  // namespace berth::bus
