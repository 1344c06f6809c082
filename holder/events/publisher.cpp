#include "holder/events/publisher.h"

namespace berth::holder::events {
namespace {
using namespace std::chrono_literals;
constexpr std::int64_t kAtOnce = 64;
}  // namespace

/// Publishes what there is, at most `kAtOnce`; the acknowledged ones are taken off in one transaction, also
/// when a later one failed.
Result<std::size_t> Publisher::drain(std::stop_token stop) {
  const auto rows = TRY(store::oldest_messages(store_, kAtOnce));
  std::vector<std::int64_t> acknowledged;
  Status published;
  for (const auto& row : rows) {
    if (stop.stop_requested()) break;
    const auto sequence = bus_.publish_durable(row.subject, row.message_id, row.body);
    if (!sequence) {
      published = sequence.error();
      break;
    }
    acknowledged.push_back(row.seq);
  }
  if (!acknowledged.empty()) {
    TRY(store_.transaction([&]() -> Status {
      for (const auto seq : acknowledged) TRY(store::message_delivered(store_, seq));
      return {};
    }));
  }
  TRY(published);
  return acknowledged.size();
}

void Publisher::run(std::stop_token stop) {
  Backoff backoff{100ms, 5000ms};
  bool failing = false;
  while (!stop.stop_requested()) {
    const auto drained = drain(stop);
    if (!drained) {
      if (!failing && trouble_) trouble_(drained.error());
      failing = true;
      poke_.wait(stop, backoff.next());
      continue;
    }
    failing = false;
    backoff.reset();
    if (*drained == 0) poke_.wait(stop, 60s);
  }
}

}  // namespace berth::holder::events
