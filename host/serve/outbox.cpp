#include "host/serve/outbox.h"

#include <condition_variable>
#include <mutex>

#include "base/error.h"
#include "base/log.h"
#include "base/parts.h"
#include "bus/whole.h"
#include "store/outbox.h"

namespace berth::host::serve {
namespace {

constexpr std::int64_t kAtOnce = 50;
constexpr std::chrono::milliseconds kLook{250};
constexpr std::chrono::seconds kAfterFailure{2};

/// Waits, or ends at once when the thread is to stop.
void wait_for(std::stop_token stop, std::chrono::milliseconds time) {
  std::mutex mutex;
  std::condition_variable_any nobody;
  std::unique_lock lock{mutex};
  nobody.wait_for(lock, stop, time, [] { return false; });
}

/// In parts where the broker takes no more. What is beyond even that must not hold up what comes behind it:
/// it stays in this store's apply_report, and this is said.
Status send(bus::Bus& bus, const store::OutboxRow& message) {
  if (message.body.size() > kMostWhole) {
    log::error("a report is too large for the bus; it stays in this machine's store",
               {{"id", message.message_id}, {"bytes", std::to_string(message.body.size())}});
    return {};
  }
  return bus::publish_whole(bus, message.subject, message.message_id, message.body);
}

}  // namespace

Result<std::int64_t> drain_outbox(store::Store& store, bus::Bus& bus) {
  std::int64_t sent = 0;
  for (;;) {
    const auto messages = TRY(store::oldest_messages(store, kAtOnce));
    if (messages.empty()) return sent;
    for (const auto& message : messages) {
      TRY(send(bus, message));
      TRY(store::message_delivered(store, message.seq));
      ++sent;
    }
  }
}

void keep_sending(std::stop_token stop, const std::filesystem::path& path, bus::Bus& bus, Seam& seam) {
  auto store = store::Store::open(path, store::Role::host, system_clock(), seam);
  if (!store) {
    log::error("reports cannot be sent", {{"cause", to_text(store.error())}});
    return;
  }
  std::string said;
  while (!stop.stop_requested()) {
    auto pause = kLook;
    if (bus.connected()) {
      const auto sent = drain_outbox(*store, bus);
      const auto cause = sent ? std::string{} : to_text(sent.error());
      if (!sent) pause = kAfterFailure;
      if (!sent && cause != said) log::warn("reports wait in the outbox", {{"cause", cause}});
      said = cause;
    }
    wait_for(stop, pause);
  }
}

}  // namespace berth::host::serve
