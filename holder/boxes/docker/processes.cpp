#include "holder/boxes/docker/docker_runtime.h"
#include "holder/boxes/docker/stream.h"
#include "holder/boxes/running.h"

namespace berth::holder::boxes::docker {

/// Where something is started now. What could not be ended there before is ended first, or else later.
Result<Started> DockerRuntime::place_to_start(const Place& place) {
  Started started;
  started.calls = TRY(calls());
  started.container = TRY(running_container(*started.calls, place));
  started.user = std::to_string(config_.uid) + ":" + std::to_string(config_.uid);
  for (const auto& mark : unended_.take(place)) {
    started.mark = mark;
    if (!kill_in(started)) unended_.add(place, mark);
  }
  return started;
}

Result<std::unique_ptr<Stream>> DockerRuntime::spawn(const Place& place, const Command& command,
                                                     std::optional<Terminal> terminal) {
  TRY(check_command(command));
  auto started = TRY(place_to_start(place));
  started.mark = new_mark();
  started.terminal = terminal;
  started.unended = [this, place, mark = started.mark] { unended_.add(place, mark); };
  engine::ExecSpec spec{.argv = in_directory(command),
                        .user = started.user,
                        .dir = "/",
                        .environment = command.environment,
                        .terminal = terminal.has_value()};
  spec.environment[kMark] = started.mark;
  started.exec = TRY(started.calls->exec_create(started.container, spec));
  auto raw = started.calls->exec_start(started.exec, terminal.has_value());
  if (!raw) {
    started.unended();  // whether it runs is not known
    return raw.error();
  }
  started.raw = std::move(raw).value();
  auto stream = std::make_unique<DockerStream>(std::move(started));
  // A process that ended at once has no terminal left to size: its end is read from the stream.
  if (terminal) static_cast<void>(stream->resize(*terminal));
  return std::unique_ptr<Stream>{std::move(stream)};
}

Result<RunResult> DockerRuntime::run(const Place& place, const Command& command, const RunBounds& bounds) {
  const auto stream = TRY(spawn(place, command, std::nullopt));
  return run_to_end(*stream, bounds, config_.run_timeout);
}

}  // namespace berth::holder::boxes::docker
