#include <algorithm>

#include "base/json.h"
#include "holder/verbs/containers.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

using engine::Stats;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json stats_document(const Stats& stats) {
  return {{"id", stats.id},
          {"name", stats.name},
          {"cpu_percent", or_null(stats.cpu_percent)},
          {"memory_bytes", or_null(stats.memory_bytes)},
          {"memory_limit_bytes", or_null(stats.memory_limit_bytes)},
          {"rx_bytes", or_null(stats.rx_bytes)},
          {"tx_bytes", or_null(stats.tx_bytes)},
          {"read_bytes", or_null(stats.read_bytes)},
          {"write_bytes", or_null(stats.write_bytes)},
          {"pids", or_null(stats.pids)}};
}

bool is_heavier(const Stats& a, const Stats& b) {
  const auto weight = [](const Stats& s) {
    return std::pair{s.cpu_percent.value_or(-1), s.memory_bytes.value_or(-1)};
  };
  return weight(a) > weight(b);
}

Result<std::vector<std::string>> running_ids(Session& session) {
  std::vector<std::string> ids;
  for (const auto& container : TRY(session.engine.list())) {
    if (container.state == "running" || container.state == "paused") ids.push_back(container.id);
  }
  return ids;
}

Result<Json> stats_of_one(Session& session, const ContainerRef& ref) {
  const auto container = TRY(resolve(session, ref)).summary;
  const auto found = TRY(session.engine.stats({container.id}));
  Json rows = Json::array();
  for (const auto& stats : found) rows.push_back(stats_document(stats));
  Json answer = {{"containers", std::move(rows)}};
  put_holder(answer, container);
  return answer;
}

}  // namespace

Result<Json> stats(Session& session, const Json& params) {
  Fields fields{params, ""};
  if (fields.has("container")) {
    const auto ref = TRY(read_container(fields));
    TRY(fields.finish());
    return stats_of_one(session, ref);
  }
  TRY(fields.finish());
  auto found = TRY(session.engine.stats(TRY(running_ids(session))));
  std::ranges::stable_sort(found, is_heavier);
  Json rows = Json::array();
  for (const auto& stats : found) rows.push_back(stats_document(stats));
  return Json{{"containers", std::move(rows)}};
}

}  // namespace berth::holder::verbs
