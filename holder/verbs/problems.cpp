#include <map>

#include "base/fields.h"
#include "base/json.h"
#include "holder/verbs/ailments.h"
#include "holder/verbs/engine_file.h"
#include "holder/verbs/page.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

using engine::Inspected;
constexpr const char* kUntold = "the engine cannot tell of it";

Json problem_document(const Inspected& container, const std::vector<std::string>& wrong) {
  const auto& summary = container.summary;
  auto row = container_reference(summary);
  row["image"] = summary.image;
  row["problems"] = wrong;
  row["exit_code"] = container.document ? Json(summary.exit_code) : Json();
  row["restarts"] = summary.restarts ? Json(*summary.restarts) : Json();
  row["started_at"] = summary.started_at.empty() ? Json() : Json(summary.started_at);
  row["finished_at"] = summary.finished_at.empty() ? Json() : Json(summary.finished_at);
  row["error"] = container.error.empty() ? Json() : Json(container.error.substr(0, 512));
  return row;
}

/// Of one that the engine cannot tell of it is what its list said.
Result<std::vector<Inspected>> look_at_all(engine::Engine& engine) {
  std::map<std::string, engine::Summary> listed;
  std::vector<std::string> ids;
  for (auto& container : TRY(engine.list())) {
    ids.push_back(container.id);
    listed.emplace(container.id, std::move(container));
  }
  auto all = TRY(engine.inspect_all(ids));
  for (auto& container : all) {
    if (!container.document) container.summary = listed.at(container.summary.id);
  }
  return all;
}

}  // namespace

Result<Json> problems(Session& session, const Json& params) {
  Fields fields{params, ""};
  TRY(fields.finish());
  const auto all = TRY(look_at_all(session.engine));
  const auto ailments = TRY(Ailments::look(session, all));
  Page page{session.max_reply};
  std::size_t total = 0;
  for (const auto& container : all) {
    const auto wrong = container.document ? TRY(ailments.of(container)) : std::vector<std::string>{kUntold};
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
