#include "bus/handlers.h"

#include "bus/tickets.h"

namespace berth::bus {
namespace {

void on_message(natsConnection*, natsSubscription*, natsMsg* message, void* closure) {
  const NatsMsg owned{message};
  if (const auto handler = Tickets<Handler>::find(closure)) handler->call(from_nats(message));
}

}  // namespace

void Handler::call(Message message) {
  const std::scoped_lock lock{mutex_};
  if (!run_) return;
  const auto run = run_;  // it may take itself away
  run(std::move(message));
}

void Handler::take_away() {
  const std::scoped_lock lock{mutex_};
  run_ = nullptr;
}

void Handlers::add(const std::shared_ptr<Handler>& handler) {
  const std::scoped_lock lock{mutex_};
  auto& row = rows_[handler.get()];
  row.handler = handler;
  row.ticket = Tickets<Handler>::give(handler);
}

void Handlers::remove(const std::shared_ptr<Handler>& handler) {
  handler->take_away();
  const std::scoped_lock lock{mutex_};
  const auto at = rows_.find(handler.get());
  if (at == rows_.end()) return;
  Tickets<Handler>::forget(at->second.ticket);
  rows_.erase(at);  // destroying the library's handle unsubscribes
}

Status Handlers::attach_row(Row& row, Live& live) {
  if (row.on == live.number()) return {};
  natsSubscription* made = nullptr;
  const auto& subject = row.handler->subject();
  const auto status =
      natsConnection_Subscribe(&made, live.connection(), subject.c_str(), on_message, row.ticket);
  if (status != NATS_OK) return to_error(status, "subscribe to " + subject);
  row.subscription.reset(made);
  row.on = live.number();
  return {};
}

Status Handlers::attach(const std::shared_ptr<Handler>& handler, Live& live) {
  const std::scoped_lock lock{mutex_};
  const auto at = rows_.find(handler.get());
  return at == rows_.end() ? Status{} : attach_row(at->second, live);
}

Status Handlers::attach_all(Live& live) {
  const std::scoped_lock lock{mutex_};
  for (auto& [key, row] : rows_) TRY(attach_row(row, live));
  return {};
}

void Handlers::retry_refused(Live& live) {
  const auto refused = live.watch().refused_subscriptions();
  if (refused.empty()) return;
  const std::scoped_lock lock{mutex_};
  for (auto& [key, row] : rows_) {
    if (!refused.contains(row.handler->subject())) continue;
    live.watch().subscription_retried(row.handler->subject());
    row.subscription.reset();
    row.on = 0;
    (void)attach_row(row, live);  // a dead connection: attach_all follows with the next one
  }
}

void Handlers::detach_all() {
  const std::scoped_lock lock{mutex_};
  for (auto& [key, row] : rows_) {
    row.subscription.reset();
    row.on = 0;
  }
}

}  // namespace berth::bus
