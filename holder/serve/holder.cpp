#include "holder/serve/holder.h"

#include <csignal>
#include <ctime>

#include "base/log.h"
#include "base/seam.h"
#include "holder/serve/bus_side.h"
#include "holder/serve/holder_config.h"
#include "holder/serve/notify.h"
#include "holder/serve/socket_face.h"
#include "holder/verbs/dispatcher.h"

namespace berth::holder::serve {
namespace {

using std::chrono::milliseconds;

/// Every thread made afterwards leaves them to `wait_for_the_end`.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // a client that goes away is an error of that write
  return signals;
}

/// Tells the watchdog that the socket is served, for as long as it is. The signal that ended it.
int wait_for_the_end(const sigset_t& signals, SocketFace& face) {
  const auto period = watchdog_period();
  const auto wait = period.value_or(milliseconds{60'000});
  const timespec limit{wait.count() / 1000, (wait.count() % 1000) * 1'000'000};
  while (true) {
    const int signal = sigtimedwait(&signals, nullptr, &limit);
    if (signal > 0) return signal;
    if (period && face.is_alive(*period)) notify_watchdog();
  }
}

verbs::EngineSlot::Open opener(const HolderConfig& config, Seam& seam) {
  return [socket = config.engine_socket, kind = config.engine_kind,
          &seam]() -> Result<std::shared_ptr<engine::Engine>> {
    return std::shared_ptr<engine::Engine>{TRY(engine::Engine::open(socket, kind, seam))};
  };
}

verbs::Facts facts_of(const HolderConfig& config, const std::string& version) {
  return {.machine = config.machine,
          .version = version,
          .engine_socket = config.engine_socket,
          .engine_file = config.engine_file,
          .engine_pid_file = config.engine_pid_file,
          .bounds = config.bounds};
}

Status recover(verbs::Recorder& recorder) {
  const auto lost = TRY(recorder.recover());
  if (lost > 0)
    log::warn("acts of an earlier run ended with it: outcome unknown", {{"acts", std::to_string(lost)}});
  return {};
}

}  // namespace

Status run_holder(const std::filesystem::path& path, const std::string& version) {
  const auto config = TRY(HolderConfig::read(path));
  const auto signals = block_signals();

  auto store = TRY(store::Store::open(config.store, store::Role::holder, system_clock(), no_faults()));
  verbs::Recorder recorder{std::move(store), config.machine};
  TRY(recover(recorder));

  events::AskedEnds asked{no_faults(), system_clock()};
  verbs::EngineSlot engines{opener(config, asked)};
  verbs::Dispatcher dispatcher{facts_of(config, version), engines, recorder, system_clock()};

  const auto bus_side = TRY(BusSide::start(config, dispatcher, asked, system_clock(), no_faults()));
  const auto socket = TRY(SocketFace::open(
      {.socket = config.socket,
       .uids = config.socket_uids,
       .events = [&](events::Feed::Sink sink) { return bus_side->events().listen(std::move(sink)); }},
      dispatcher));
  notify_ready();
  log::info("serving",
            {{"machine", config.machine}, {"socket", config.socket}, {"engine", config.engine_socket}});

  const int signal = wait_for_the_end(signals, *socket);
  notify_stopping();
  log::info("ending", {{"signal", std::to_string(signal)}});
  return {};
}

}  // namespace berth::holder::serve
