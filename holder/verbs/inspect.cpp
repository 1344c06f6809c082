#include "base/json.h"
#include "holder/verbs/containers.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {

Result<Json> inspect(Session& session, const Json& params) {
  Fields fields{params, ""};
  const auto ref = TRY(read_container(fields));
  TRY(fields.finish());
  const auto container = TRY(resolve(session, ref));
  auto answer = summary_document(container.summary);
  answer["pid"] = container.pid;
  answer["labels"] = container.summary.labels;
  answer["environment"] = container.environment;
  answer["document"] = container.document ? *container.document : Json();
  return answer;
}

}  // namespace berth::holder::verbs
