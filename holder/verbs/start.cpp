#include "base/json.h"
#include "holder/verbs/containers.h"
#include "holder/verbs/state_change.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {

Result<Json> start(Session& session, const Json& params) {
  Fields fields{params, ""};
  const auto ref = TRY(read_container(fields));
  TRY(fields.finish());
  const auto container = TRY(resolve(session, ref));
  TRY(session.engine.start(container.summary.id));
  return changed(session, container);
}

}  // namespace berth::holder::verbs
