#include "holder/verbs/ailments.h"

#include <algorithm>
#include <filesystem>

#include "base/json.h"
#include "holder/verbs/engine_file.h"
#include "holder/verbs/recorder.h"

namespace berth::holder::verbs {
namespace {

using engine::Inspected;
constexpr std::int64_t kManyRestarts = 5;
constexpr std::chrono::hours kRecently{1};
constexpr int kTerminated = 143;  // how a program ends that does as a stop asks
constexpr int kKilled = 137;

std::int64_t memory_limit(const Inspected& container) {
  if (!container.document) return 0;
  const auto host = container.document->find("HostConfig");
  if (host == container.document->end() || !host->is_object()) return 0;
  const auto limit = host->find("Memory");
  return limit == host->end() || !limit->is_number_integer() ? 0 : limit->get<std::int64_t>();
}

/// Engines miss it when it was not the first process that the kernel killed, or where they have no word of it at all:
/// "not for memory" is never said.
std::string how_it_failed(const Inspected& container) {
  const auto code = container.summary.exit_code;
  auto text = "failed: exit code " + std::to_string(code);
  if (const auto limit = memory_limit(container); code == kKilled && limit > 0)
    text += ", killed: maybe for memory, of which it may have " + std::to_string(limit) + " bytes";
  return text;
}

void add_by_state(const Inspected& container, std::vector<std::string>& wrong) {
  const auto& summary = container.summary;
  if (summary.health == "unhealthy") wrong.push_back("unhealthy");
  if (summary.state == "restarting" || summary.state == "dead") wrong.push_back(summary.state);
  const bool ended = summary.state == "exited" || summary.state == "dead" || summary.state == "restarting";
  if (container.oom_killed) wrong.push_back("killed for memory");
  if (ended && !container.oom_killed && summary.exit_code != 0 && summary.exit_code != kTerminated)
    wrong.push_back(how_it_failed(container));
  if (summary.state == "created" && !container.error.empty()) wrong.push_back("failed: it could not be started");
}

}  // namespace

Result<Ailments> Ailments::look(Session& session, const std::vector<Inspected>& all) {
  Ailments ailments{session};
  ailments.starts_ = TRY(session.recorder.starts_since(session.clock.now() - kRecently, kManyRestarts + 1));
  const auto seen = [&](const Inspected& c) { return c.pid > 0 && ailments.has_process(c.pid); };
  // An engine whose processes are not ours to see (another machine's, hidepid) proves nothing by their absence.
  ailments.sees_processes_ = std::ranges::any_of(all, seen) ||
                             EngineProcess::look(session.facts.engine_pid_file).unknown.empty();
  return ailments;
}

bool Ailments::has_process(std::int64_t pid) const {
  std::error_code ignored;
  return std::filesystem::exists(session_.facts.processes / std::to_string(pid), ignored);
}

/// Asked once more: it may have ended since it was looked at.
Result<bool> Ailments::lost_its_process(const Inspected& container) const {
  if (!sees_processes_ || container.summary.state != "running" || container.pid <= 0 || has_process(container.pid))
    return false;
  const auto now = session_.engine.inspect(container.summary.id);
  if (!now && now.error().code == Errc::not_found) return false;
  if (!now) return now.error();
  return now->summary.state == "running" && now->pid == container.pid && !has_process(now->pid);
}

Result<std::vector<std::string>> Ailments::of(const Inspected& container) const {
  std::vector<std::string> wrong;
  add_by_state(container, wrong);
  if (TRY(lost_its_process(container)))
    wrong.push_back("the engine says it runs, and its process " + std::to_string(container.pid) + " is gone");
  // The engine's own count begins anew when the engine does.
  const auto restarts = container.summary.restarts.value_or(0);
  const auto starts = starts_.find(container.summary.id);
  if (restarts >= kManyRestarts)
    wrong.push_back("restarted " + std::to_string(restarts) + " times");
  else if (starts != starts_.end())
    wrong.push_back("started " + std::to_string(starts->second) + " times within the last hour");
  return wrong;
}

}  // namespace berth::holder::verbs
