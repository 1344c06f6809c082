#include "holder/verbs/state_change.h"

#include <algorithm>

#include "base/json.h"
#include "holder/verbs/containers.h"

namespace berth::holder::verbs {
namespace {

constexpr std::int64_t kMostGrace = 120;

std::string note_of(const engine::Summary& container) {
  if (!container.mesh_held()) return {};
  return "held by assignment \"" + container.assignment +
         "\": the host restores what its declaration says at its next apply";
}

}  // namespace

std::chrono::seconds grace_of(const engine::Inspected& container, std::optional<std::int64_t> asked) {
  if (asked) return std::chrono::seconds{*asked};
  if (container.document && container.document->is_object()) {
    const auto own = container.document->value("/Config/StopTimeout"_json_pointer, Json());
    if (own.is_number_integer()) {
      return std::chrono::seconds{std::clamp(own.get<std::int64_t>(), std::int64_t{0}, kMostGrace)};
    }
  }
  return std::chrono::seconds{10};
}

Result<Json> changed(Session& session, const engine::Inspected& before) {
  const auto& container = before.summary;
  const auto after = session.engine.inspect(container.id);
  // One that removes itself when it ends may be gone by now; anything else is an answer we do not have.
  if (!after && after.error().code != Errc::not_found) return after.error();
  Json answer = {{"container", container.id},
                 {"name", container.name},
                 {"was", container.state},
                 {"now", after ? after->summary.state : "removing"},
                 {"note", container.mesh_held() ? Json(note_of(container)) : Json()}};
  put_holder(answer, container);
  return answer;
}

}  // namespace berth::holder::verbs
