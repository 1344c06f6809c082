#pragma once
#include <functional>
#include <stop_token>

#include "base/error.h"
#include "bus/bus.h"
#include "holder/events/poke.h"
#include "store/outbox.h"

namespace berth::holder::events {

/// Drains the outbox, oldest first, and takes a message off only when the stream has acknowledged it. A
/// broker that is away costs nothing but the wait; a second delivery is dropped by the stream, by the
/// message's id.
class Publisher {
 public:
  using Trouble = std::function<void(const Error& error)>;  // told once a spell of failures

  Publisher(store::Store store, bus::Bus& bus, Trouble trouble)
      : store_(std::move(store)), bus_(bus), trouble_(std::move(trouble)) {}

  void run(std::stop_token stop);
  /// Any thread: there is more, or the bus is back.
  void poke() { poke_.poke(); }

 private:
  Result<std::size_t> drain(std::stop_token stop);

  store::Store store_;
  bus::Bus& bus_;
  Trouble trouble_;
  Poke poke_;
};

}  // namespace berth::holder::events
