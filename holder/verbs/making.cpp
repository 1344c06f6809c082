#include "holder/verbs/making.h"

#include "base/error.h"
#include "base/json.h"
#include "holder/verbs/containers.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {

Status remove_container(Session& session, const policy::MayDestroy& may, bool force, bool volumes) {
  return session.engine.remove(may.id(), force, volumes);
}

Status start_made(Session& session, const client::ContainerSpec& spec, const engine::Created& created) {
  if (!spec.start) return {};
  auto started = session.engine.start(created.id);
  if (started) return {};
  auto error = std::move(started).error().while_doing("start " + created.id.substr(0, 12));
  if (error.code != Errc::engine_refused && error.code != Errc::conflict) return error;
  const auto removed = remove_container(session, policy::may_undo_create(created), true, true);
  if (!removed) error.detail += "; and it is still there: " + removed.error().detail;
  return error;
}

Json made_document(const engine::Summary& container, const engine::Created& created) {
  Json answer = {{"id", created.id}, {"name", container.name}, {"warnings", created.warnings}};
  put_holder(answer, container);
  return answer;
}

Result<Json> create(Session& session, const Json& params) {
  return session.face == Face::socket ? create_for_host(session, params) : create_for_bus(session, params);
}

}  // namespace berth::holder::verbs
