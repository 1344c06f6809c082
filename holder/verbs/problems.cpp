#include <algorithm>

#include "base/fields.h"
#include "base/json.h"
#include "holder/verbs/engine_file.h"
#include "holder/verbs/page.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

using engine::Inspected;
constexpr std::int64_t kManyRestarts = 5;
constexpr int kTerminated = 143;  // how a program ends that does as a stop asks

/// What is wrong with one container, in words; empty for one that is well.
std::vector<std::string> wrong_with(const Inspected& container) {
  const auto& summary = container.summary;
  std::vector<std::string> wrong;
  if (summary.health == "unhealthy") wrong.push_back("unhealthy");
  if (summary.state == "restarting" || summary.state == "dead") wrong.push_back(summary.state);
  const bool ended = summary.state == "exited" || summary.state == "dead" || summary.state == "restarting";
  if (container.oom_killed) wrong.push_back("killed for memory");
  if (ended && !container.oom_killed && summary.exit_code != 0 && summary.exit_code != kTerminated)
    wrong.push_back("failed: exit code " + std::to_string(summary.exit_code));
  if (summary.state == "created" && !container.error.empty()) wrong.push_back("failed: it could not be started");
  if (summary.restarts >= kManyRestarts)
    wrong.push_back("restarted " + std::to_string(summary.restarts) + " times");
  return wrong;
}

Json problem_document(const Inspected& container, const std::vector<std::string>& wrong) {
  const auto& summary = container.summary;
  auto row = container_reference(summary);
  row["image"] = summary.image;
  row["problems"] = wrong;
  row["exit_code"] = summary.exit_code;
  row["restarts"] = summary.restarts;
  row["started_at"] = summary.started_at.empty() ? Json() : Json(summary.started_at);
  row["finished_at"] = summary.finished_at.empty() ? Json() : Json(summary.finished_at);
  row["error"] = container.error.empty() ? Json() : Json(container.error.substr(0, 512));
  return row;
}

}  // namespace

Result<Json> problems(Session& session, const Json& params) {
  Fields fields{params, ""};
  TRY(fields.finish());
  std::vector<std::string> ids;
  for (const auto& container : TRY(session.engine.list())) ids.push_back(container.id);
  Page page{session.max_reply};
  std::size_t total = 0;
  for (const auto& container : TRY(session.engine.inspect_all(ids))) {
    const auto wrong = wrong_with(container);
    if (wrong.empty()) continue;
    ++total;
    page.add(problem_document(container, wrong));
  }
  auto answer = std::move(page).answer("containers", total);
  answer["next_start"] = Json::array();
  if (session.engine.info().kind != engine::Kind::docker) return answer;  // no other engine reads that file
  const auto process = EngineProcess::look(session.facts.engine_pid_file);
  answer["next_start"] = TRY(EngineFile::read(session.facts)).would_stop(process);
  return answer;
}

}  // namespace berth::holder::verbs
