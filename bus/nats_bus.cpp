#include "bus/nats_bus.h"

#include <algorithm>

#include "base/hash.h"

namespace berth::bus {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// How long a wait goes on before it looks whether the broker has refused the request meanwhile.
constexpr milliseconds kLook{20};

milliseconds left_until(steady_clock::time_point deadline) {
  return std::max(milliseconds{0}, std::chrono::ceil<milliseconds>(deadline - steady_clock::now()));
}

Error forbidden(const std::string& subject) {
  return fail(Errc::not_granted, "the broker does not let this user publish to " + subject);
}

/// How long a refusal may be underway yet, in looks of a millisecond. The library notes it as it reads it,
/// which is before the answer to a flush, but tells it from another thread: waits, briefly, until that thread
/// has told the newest one. A second one of the same subject has the same text, and cannot be told from the
/// first.
int hear_refusals(Live& live) {
  constexpr int kUsual = 5, kAfterRefusal = 200;
  const char* said = nullptr;
  if (natsConnection_GetLastError(live.connection(), &said) != NATS_NOT_PERMITTED || said == nullptr)
    return kUsual;
  const std::string newest{said};
  for (int look = 0; look < kAfterRefusal; ++look) {
    if (!live.watch().is_behind(newest)) return look == 0 ? kAfterRefusal : kUsual;
    std::this_thread::sleep_for(milliseconds{1});
  }
  return kUsual;
}

}  // namespace

Status NatsBus::publish(const Message& message) {
  TRY(check_subject(message.subject, false));
  TRY(seam_.before("bus.publish", message.subject));
  const auto live = TRY(borrow());
  const auto made = TRY(to_nats(message, message.reply));
  const auto status = natsConnection_PublishMsg(live->connection(), made.get());
  return status == NATS_OK ? Status{} : to_error(status, "publish to " + message.subject);
}

Status NatsBus::flush(milliseconds limit) {
  const auto live = TRY(borrow());
  const auto status =
      natsConnection_FlushTimeout(live->connection(), std::max<std::int64_t>(1, limit.count()));
  if (status != NATS_OK) return to_error(status, "flush to " + config_.url);
  const auto looks = hear_refusals(*live);
  for (int look = 0; look < looks; ++look) {
    if (const auto subject = live->watch().take_any_publish_refusal()) return forbidden(*subject);
    std::this_thread::sleep_for(milliseconds{1});
  }
  return {};
}

Result<Message> NatsBus::request(std::string_view subject, std::string_view data, milliseconds limit) {
  return ask({.subject = std::string{subject}, .reply = {}, .headers = {}, .data = std::string{data}}, limit);
}

Result<Message> NatsBus::ask(const Message& message, milliseconds limit) {
  TRY(check_subject(message.subject, false));
  TRY(seam_.before("bus.request", message.subject));
  const auto live = TRY(borrow());
  const auto reply = config_.inbox_prefix + "." + random_hex(12);
  natsSubscription* made = nullptr;
  auto status = natsConnection_SubscribeSync(&made, live->connection(), reply.c_str());
  const NatsSubscription inbox{made};
  if (status != NATS_OK) return to_error(status, "subscribe to " + reply);
  const auto mark = live->watch().newest();
  const auto sent = TRY(to_nats(message, reply));
  status = natsConnection_PublishMsg(live->connection(), sent.get());
  if (status != NATS_OK) return to_error(status, "ask " + message.subject);
  return await_reply(*live, inbox.get(), message.subject, mark, limit);
}

Result<Message> NatsBus::await_reply(Live& live, natsSubscription* inbox, const std::string& subject,
                                     std::uint64_t mark, milliseconds limit) const {
  const auto deadline = steady_clock::now() + limit;
  for (;;) {
    natsMsg* got = nullptr;
    const auto wait = std::clamp(left_until(deadline), milliseconds{1}, kLook);
    const auto status = natsSubscription_NextMsg(&got, inbox, wait.count());
    const NatsMsg reply{got};
    if (status == NATS_OK && natsMsg_IsNoResponders(got))
      return fail(Errc::unreachable, "nobody listens on " + subject);
    if (status == NATS_OK) return from_nats(got);
    if (status == NATS_NO_RESPONDERS) return fail(Errc::unreachable, "nobody listens on " + subject);
    if (live.watch().take_publish_refusal(subject, mark)) return forbidden(subject);
    if (status != NATS_TIMEOUT || live.watch().has_ended()) {
      return fail(Errc::unreachable,
                  "the bus went away while " + subject + " was asked; what came of it is not known");
    }
    if (steady_clock::now() >= deadline) {
      return fail(Errc::timeout,
                  "no reply from " + subject + " within " + std::to_string(limit.count()) + " ms");
    }
  }
}

Status NatsBus::attach(const std::shared_ptr<Handler>& handler) {
  // A connection that appears meanwhile may have looked through the handlers before this one was there.
  for (auto live = current(); live;) {
    const auto attached = handlers_->attach(handler, *live);
    const auto now = current();
    if (now != live) {
      live = now;
      continue;
    }
    if (!attached) return {};  // the connection has just ended; the next one attaches everything
    const auto flushed = natsConnection_FlushTimeout(live->connection(), 2000);
    const auto looks = hear_refusals(*live);
    for (int look = 0; flushed == NATS_OK && look < looks; ++look) {
      if (live->watch().refused_subscriptions().contains(handler->subject())) {
        return fail(Errc::not_granted,
                    "the broker does not let this user subscribe to " + handler->subject());
      }
      std::this_thread::sleep_for(milliseconds{1});
    }
    return {};
  }
  return {};
}

Result<Subscription> NatsBus::subscribe(std::string_view subject, std::function<void(Message)> handler) {
  TRY(check_subject(subject, true));
  TRY(seam_.before("bus.subscribe", subject));
  const auto wanted = std::make_shared<Handler>(std::string{subject}, std::move(handler));
  handlers_->add(wanted);
  Subscription subscription{[handlers = std::weak_ptr{handlers_}, wanted] {
    if (const auto still = handlers.lock()) still->remove(wanted);
    wanted->take_away();
  }};
  TRY(attach(wanted));
  return subscription;
}

}  // namespace berth::bus
