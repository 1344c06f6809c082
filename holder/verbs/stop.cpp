#include "base/json.h"
#include "holder/verbs/containers.h"
#include "holder/verbs/state_change.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {

Result<Json> stop(Session& session, const Json& params) {
  Fields fields{params, ""};
  const auto ref = TRY(read_container(fields));
  const auto timeout_s = fields.integer("timeout_s", 0, 120, -1);
  TRY(fields.finish());
  const auto container = TRY(resolve(session, ref));
  const auto asked = timeout_s >= 0 ? std::optional{timeout_s} : std::nullopt;
  TRY(session.engine.stop(container.summary.id, grace_of(container, asked)));
  return changed(session, container);
}

}  // namespace berth::holder::verbs
