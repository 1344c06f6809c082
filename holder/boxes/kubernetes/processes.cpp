#include "base/json.h"
#include "holder/boxes/kubernetes/exec_stream.h"
#include "holder/boxes/kubernetes/kubernetes_runtime.h"
#include "holder/boxes/running.h"

namespace berth::holder::boxes::kubernetes {
namespace {

constexpr std::chrono::milliseconds kKillBound{20'000};

/// Kubernetes sets neither a directory nor a variable for an exec: `env` does, and the command's own shell.
std::vector<std::string> under_env(const Command& command, const std::string& mark) {
  std::vector<std::string> argv = {"env", std::string{kMark} + "=" + mark};
  for (const auto& [name, value] : command.environment) argv.push_back(name + "=" + value);
  const auto rest = in_directory(command);
  argv.insert(argv.end(), rest.begin(), rest.end());
  return argv;
}

/// A pod that is gone or stopped took its processes with it.
Result<bool> goes_on(Api& api, const std::string& pod_path) {
  const auto now = api.get(pod_path);
  if (!now && now.error().code == Errc::not_found) return false;
  return text_part(TRY(now), {"status", "phase"}) == "Running";
}

Status kill_marked_in(Api& api, const std::string& pod_path, const std::string& mark) {
  if (!TRY(goes_on(api, pod_path))) return {};
  const auto killer = TRY(open_exec(
      api,
      {.pod_path = pod_path, .argv = kill_marked(mark), .terminal = false, .kill = [] { return Status{}; }}));
  const auto until = std::chrono::steady_clock::now() + kKillBound;
  while (std::chrono::steady_clock::now() < until) {
    const auto piece = killer->read(std::chrono::milliseconds{1000});
    if (!piece) return TRY(goes_on(api, pod_path)) ? Status{piece.error()} : Status{};
    if (*piece && (*piece)->from == Stream::From::end) return {};
  }
  return fail(Errc::timeout, "kill a process: not done within the time bound");
}

}  // namespace

Result<std::unique_ptr<Stream>> KubernetesRuntime::spawn(const Place& place, const Command& command,
                                                         std::optional<Terminal> terminal) {
  TRY(check_command(command));
  const auto pod = TRY(running_pod(place));
  for (const auto& mark : unended_.take(place)) static_cast<void>(kill(place, mark));
  const auto mark = new_mark();
  ExecCall call{.pod_path = pods() + "/" + pod,
                .argv = under_env(command, mark),
                .terminal = terminal.has_value(),
                .kill = [this, place, mark] { return kill(place, mark); }};
  auto stream = open_exec(api_, std::move(call));
  if (!stream) {
    if (stream.error().code == Errc::engine_unreachable)
      unended_.add(place, mark);  // nobody knows whether it runs
    return stream.error();
  }
  if (terminal) static_cast<void>((*stream)->resize(*terminal));
  return stream;
}

Status KubernetesRuntime::kill(const Place& place, const std::string& mark) {
  auto killed = kill_marked_in(api_, pods() + "/" + pod_name(place), mark);
  if (!killed) unended_.add(place, mark);
  return killed;
}

Result<RunResult> KubernetesRuntime::run(const Place& place, const Command& command,
                                         const RunBounds& bounds) {
  const auto stream = TRY(spawn(place, command, std::nullopt));
  return run_to_end(*stream, bounds, config_.run_timeout);
}

}  // namespace berth::holder::boxes::kubernetes
