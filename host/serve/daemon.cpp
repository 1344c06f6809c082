#include "host/serve/daemon.h"

#include <signal.h>

#include <cerrno>
#include <thread>

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/parts.h"
#include "store/lock.h"
#include "host/serve/notify.h"
#include "host/serve/outbox.h"
#include "host/serve/reply.h"
#include "host/serve/watch.h"
#include "host/serve/workers.h"

namespace berth::host::serve {
namespace {

/// Blocked before any thread is made, so that all of them leave the signals to this one.
sigset_t block_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGHUP, SIG_IGN);  // a terminal that goes away, or a habit: there is nothing to read again
  return signals;
}

/// Returns at a signal, or when a worker cannot go on.
void wait_for_end(const sigset_t& signals, const Shared& shared) {
  auto alive_at = std::chrono::steady_clock::now();
  while (!shared.failed) {
    const timespec half_a_second{0, 500'000'000};
    if (::sigtimedwait(&signals, nullptr, &half_a_second) > 0) return;
    if (std::chrono::steady_clock::now() >= alive_at) {
      notify_alive();
      alive_at = std::chrono::steady_clock::now() + alive_every();
    }
  }
}

void log_edge(bool connected, const std::string& why) {
  if (connected) {
    log::info("the bus is there");
  } else {
    log::warn("the bus is away; the machine goes on without it", {{"cause", why}});
  }
}

std::unique_ptr<bus::Bus> start_bus(const Config& config, Seam& seam) {
  if (!config.bus) {
    log::warn("no bus is configured; reports wait in the outbox");
    return nullptr;
  }
  auto bus = *config.bus;
  bus.name = "berth-host " + config.machine;
  bus.inbox_prefix = "_INBOX." + (bus.user.empty() ? "host-" + config.machine : bus.user);
  return bus::Bus::start(std::move(bus), seam, log_edge);
}

Result<bus::Subscription> listen(Shared& shared, const std::string& subject, bool is_push) {
  return shared.bus->subscribe(subject, [&shared, is_push](bus::Message message) {
    auto& queue = is_push && !is_part(message.data) ? shared.applies : shared.asks;
    put_or_say_busy(shared, queue, {std::move(message), is_push});
  });
}

Status serve(Shared& shared, store::Store store, const sigset_t& signals) {
  std::vector<bus::Subscription> subscriptions;
  std::jthread outbox;
  std::jthread asks{[&](std::stop_token stop) { ask_worker(stop, shared); }};
  std::jthread watch;
  if (shared.program.linked.holder != nullptr)
    watch = std::jthread{[&](std::stop_token stop) { watch_worker(stop, shared); }};
  std::jthread applies{[&](std::stop_token stop) { apply_worker(stop, shared, std::move(store)); }};
  if (shared.bus != nullptr) {
    outbox = std::jthread{
        [&](std::stop_token stop) { keep_sending(stop, shared.config.store, *shared.bus, shared.seam); }};
    subscriptions.push_back(TRY(listen(shared, shared.config.subjects.push, true)));
    subscriptions.push_back(TRY(listen(shared, shared.config.subjects.ask, false)));
  }
  notify_ready("serving " + shared.config.machine);
  log::info("serving", {{"machine", shared.config.machine}, {"version", version_of(shared.program)}});
  wait_for_end(signals, shared);
  notify_stopping();
  subscriptions.clear();
  // The task under way is finished and answered; a host killed meanwhile goes on from the store.
  applies.request_stop();
  asks.request_stop();
  watch.request_stop();
  outbox.request_stop();
  applies.join();
  asks.join();
  if (watch.joinable()) watch.join();
  if (outbox.joinable()) outbox.join();
  if (shared.bus != nullptr && shared.bus->connected()) {
    if (const auto flushed = shared.bus->flush(std::chrono::seconds{2}); !flushed)
      log::warn("the last answers may be lost", {{"cause", flushed.error().detail}});
  }
  return shared.failed ? Status{fail(Errc::failed, "a worker could not go on; see above")} : Status{};
}

}  // namespace

Status run_daemon(const Config& config, const std::filesystem::path& config_file, const Program& program,
                  Seam& seam) {
  const auto signals = block_signals();
  const auto lock = TRY(store::StoreLock::take(config.store, "berth-host run", std::chrono::seconds{10}));
  auto store = TRY(store::Store::open(config.store, store::Role::host, system_clock(), seam));
  const auto bus = start_bus(config, seam);
  Shared shared{config,
                program,
                seam,
                bus.get(),
                {program.root, program.root + config.releases.native(), config_file},
                to_rfc3339(system_clock().now())};
  return serve(shared, std::move(store), signals);
}

}  // namespace berth::host::serve
