#include "base/json.h"
#include "holder/verbs/containers.h"
#include "holder/verbs/making.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {

Result<Json> remove(Session& session, const Json& params) {
  Fields fields{params, ""};
  const auto ref = TRY(read_container(fields));
  const bool force = fields.boolean("force", false);
  const bool volumes = fields.boolean("volumes", false);
  if (volumes && session.face != Face::socket) fields.refuse("volumes", "is the host's socket's alone");
  TRY(fields.finish());
  const auto container = TRY(resolve(session, ref)).summary;
  TRY(remove_container(session, TRY(policy::may_remove(session.asker(), container)), force, volumes));
  Json answer = {{"id", container.id}, {"name", container.name}};
  put_holder(answer, container);
  return answer;
}

}  // namespace berth::holder::verbs
