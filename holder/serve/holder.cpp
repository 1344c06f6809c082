#include "holder/serve/holder.h"

#include <csignal>
#include <ctime>
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "base/seam.h"
#include "holder/serve/box_side.h"
#include "holder/serve/bus_side.h"
#include "holder/serve/engine_socket.h"
#include "holder/serve/holder_config.h"
#include "holder/serve/notify.h"
#include "holder/serve/socket_face.h"
#include "holder/verbs/dispatcher.h"
#include "holder/verbs/replace.h"
#include "store/lock.h"

namespace berth::holder::serve {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kOtherEnds{5'000};  // one that is being stopped may still write

/// Every thread made afterwards leaves them to `wait_for_the_end`.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);  // a client that goes away is an error of that write
  ::signal(SIGHUP, SIG_IGN);   // files are read again when they change; nothing is to be told
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
    std::shared_ptr<engine::Engine> engine{TRY(engine::Engine::open(socket, kind, seam))};
    // What a crash of this program or of the engine left half done; tried again when the engine is next opened.
    if (const auto ended = verbs::end_replacements(*engine); !ended)
      log::warn("a replacement that was cut short is not ended", {{"why", to_text(ended.error())}});
    return engine;
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

/// What the last process had begun; an end it had asked for is still one that was asked for.
Status recover(verbs::Recorder& recorder, events::AskedEnds& asked) {
  const auto lost = TRY(recorder.recover());
  if (!lost.empty())
    log::warn("acts of an earlier run ended with it: outcome unknown", {{"acts", std::to_string(lost.size())}});
  for (const auto& act : lost) {
    if (act.verb == "stop" || act.verb == "restart" || act.verb == "remove") asked.recall(act.target, act.began);
  }
  return {};
}

}  // namespace

Status run_holder(const std::filesystem::path& path, const std::string& version, const std::string& program) {
  const auto config = TRY(HolderConfig::read(path));
  const auto signals = block_signals();
  const auto hopeless = std::make_shared<Hopeless>();
  help_with_access(program, hopeless);

  const auto only_one = TRY(store::StoreLock::take(config.store, "berth-holder run", kOtherEnds));
  auto store = TRY(store::Store::open(config.store, store::Role::holder, system_clock(), no_faults()));
  verbs::Recorder recorder{std::move(store), config.machine};
  events::AskedEnds asked{no_faults(), system_clock()};
  TRY(recover(recorder, asked));

  verbs::EngineSlot engines{opener(config, asked)};
  verbs::Dispatcher dispatcher{facts_of(config, version), engines, recorder, system_clock()};

  const auto bus_side = TRY(BusSide::start(config, dispatcher, asked, system_clock(), no_faults()));
  const auto box_side = TRY(BoxSide::start(config, recorder));
  const auto socket = TRY(SocketFace::open(
      {.socket = config.socket,
       .uids = config.socket_uids,
       .events = [&](events::Feed::Sink sink) { return bus_side->events().listen(std::move(sink)); }},
      dispatcher));
  notify_ready();
  log::info("serving",
            {{"machine", config.machine}, {"socket", config.socket}, {"engine", config.engine_socket}});

  // Opened now, and not by the first call: what the last process left half done is ended at once. By a thread of
  // its own: an engine that hangs, or has much to tell, must not keep the watchdog waiting.
  const std::jthread first_look{[&engines] { static_cast<void>(engines.engine()); }};
  const int signal = wait_for_the_end(signals, *socket);
  notify_stopping();
  const auto why = hopeless->with([](const auto& told) { return told; });
  if (!why.empty()) return fail(Errc::engine_unreachable, why);
  log::info("ending", {{"signal", std::to_string(signal)}});
  return {};
}

}  // namespace berth::holder::serve
