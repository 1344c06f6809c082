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

}  // namespace

Result<std::unique_ptr<Stream>> KubernetesRuntime::spawn(const Place& place, const Command& command,
                                                         std::optional<Terminal> terminal) {
  TRY(check_command(command));
  const auto pod = TRY(running_pod(place));
  const auto mark = new_mark();
  ExecCall call{.pod_path = pods() + "/" + pod,
                .argv = under_env(command, mark),
                .terminal = terminal.has_value(),
                .kill = [this, pod, mark] { return kill(pod, mark); }};
  auto stream = TRY(open_exec(api_, std::move(call)));
  if (terminal) static_cast<void>(stream->resize(*terminal));
  return stream;
}

/// A pod that is gone or stopped took its processes with it.
Status KubernetesRuntime::kill(const std::string& pod, const std::string& mark) {
  const auto now = TRY(find(pods(), pod));
  if (now.is_null() || text_part(now, {"status", "phase"}) != "Running") return {};
  const auto killer = TRY(open_exec(
      api_, {.pod_path = pods() + "/" + pod, .argv = kill_marked(mark), .terminal = false, .kill = [] {
               return Status{};
             }}));
  const auto until = std::chrono::steady_clock::now() + kKillBound;
  while (std::chrono::steady_clock::now() < until) {
    const auto piece = killer->read(std::chrono::milliseconds{1000});
    if (!piece || (*piece && (*piece)->from == Stream::From::end)) return {};
  }
  return fail(Errc::timeout, "kill a process: not done within the time bound");
}

Result<RunResult> KubernetesRuntime::run(const Place& place, const Command& command,
                                         const RunBounds& bounds) {
  const auto stream = TRY(spawn(place, command, std::nullopt));
  return run_to_end(*stream, bounds, config_.run_timeout);
}

}  // namespace berth::holder::boxes::kubernetes
