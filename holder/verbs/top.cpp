#include <algorithm>

#include "base/json.h"
#include "holder/verbs/containers.h"
#include "holder/verbs/page.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

template <class T>
Json reading(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json process_document(const engine::Process& process) {
  return {{"pid", process.pid},
          {"parent", process.parent},
          {"user", process.user},
          {"cpu_percent", reading(process.cpu_percent)},
          {"elapsed_s", reading(process.elapsed_s)},
          {"command", process.command}};
}

bool has_processes(const engine::Summary& container) {
  return container.state == "running" || container.state == "paused";
}

}  // namespace

Result<Json> top(Session& session, const Json& params) {
  Fields fields{params, ""};
  const auto ref = TRY(read_container(fields));
  TRY(fields.finish());
  const auto container = TRY(resolve(session, ref)).summary;
  if (!has_processes(container))
    return fail(Errc::conflict, container.name + " is " + container.state + ": it has no processes");
  const auto found = TRY(session.engine.processes(container.id));
  Page page{session.max_reply};
  for (const auto& process : found) {
    if (!page.add(process_document(process))) break;
  }
  auto answer = std::move(page).answer("processes", found.size());
  answer["container"] = container.id;
  answer["name"] = container.name;
  put_holder(answer, container);
  return answer;
}

}  // namespace berth::holder::verbs
