#include <algorithm>
#include <map>

#include "base/json.h"
#include "holder/verbs/containers.h"
#include "holder/verbs/page.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

using engine::Stats;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json stats_document(const Stats& stats, const std::string& name) {
  return {{"id", stats.id},
          {"name", name},
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

/// What runs, by id; the kernel that counts does not know a container's name.
Result<std::map<std::string, std::string>> running(Session& session) {
  std::map<std::string, std::string> names;
  for (const auto& container : TRY(session.engine.list())) {
    if (container.state == "running" || container.state == "paused") names[container.id] = container.name;
  }
  return names;
}

Result<Json> stats_of_one(Session& session, const ContainerRef& ref) {
  const auto container = TRY(resolve(session, ref)).summary;
  const auto found = TRY(session.engine.stats({container.id}));
  Json rows = Json::array();
  for (const auto& stats : found) rows.push_back(stats_document(stats, container.name));
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
  const auto names = TRY(running(session));
  std::vector<std::string> ids;
  for (const auto& [id, name] : names) ids.push_back(id);
  auto found = TRY(session.engine.stats(ids));
  std::ranges::stable_sort(found, is_heavier);
  Page page{session.max_reply};
  for (const auto& stats : found) {
    const auto name = names.find(stats.id);
    if (!page.add(stats_document(stats, name == names.end() ? stats.name : name->second))) break;
  }
  return std::move(page).answer("containers", found.size());
}

}  // namespace berth::holder::verbs
