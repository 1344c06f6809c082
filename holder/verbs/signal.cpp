#include "base/json.h"
#include "holder/verbs/containers.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {

Result<Json> signal(Session& session, const Json& params) {
  Fields fields{params, ""};
  const auto ref = TRY(read_container(fields));
  const auto name = fields.one_of("signal", {"HUP", "USR1", "USR2"}, "");
  TRY(fields.finish());
  const auto container = TRY(resolve(session, ref)).summary;
  TRY(session.engine.kill(container.id, "SIG" + name));
  Json answer = {{"container", container.id}, {"name", container.name}};
  put_holder(answer, container);
  return answer;
}

}  // namespace berth::holder::verbs
