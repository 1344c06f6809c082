#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/guarded.h"

namespace berth::holder::events {

/// Hands every recorded event's body to those who listen, in order, after it is durable. Sinks run on the
/// keeper's thread and must not wait. Any thread may come and go.
class Feed {
 public:
  using Sink = std::function<void(const std::string& body)>;

  /// Takes its sink away when destroyed; the sink does not run afterwards.
  class Listener {
   public:
    Listener() = default;
    Listener(Listener&&) noexcept = default;
    Listener& operator=(Listener&& other) noexcept {
      leave();
      sinks_ = std::move(other.sinks_);
      key_ = other.key_;
      return *this;
    }
    ~Listener() { leave(); }

   private:
    friend class Feed;
    using Sinks = Guarded<std::map<int, Sink>>;
    void leave() {
      if (sinks_) sinks_->with([&](auto& sinks) { sinks.erase(key_); });
      sinks_.reset();
    }
    std::shared_ptr<Sinks> sinks_;
    int key_ = 0;
  };

  Listener listen(Sink sink) {
    Listener listener;
    listener.sinks_ = sinks_;
    listener.key_ = sinks_->with([&](auto& sinks) {
      const int key = sinks.empty() ? 1 : sinks.rbegin()->first + 1;
      sinks.emplace(key, std::move(sink));
      return key;
    });
    return listener;
  }
  void tell(const std::string& body) {
    sinks_->with([&](auto& sinks) {
      for (const auto& [key, sink] : sinks) sink(body);
    });
  }

 private:
  std::shared_ptr<Listener::Sinks> sinks_ = std::make_shared<Listener::Sinks>();
};

}  // namespace berth::holder::events
