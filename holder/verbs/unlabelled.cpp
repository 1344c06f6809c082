#include "base/fields.h"
#include "base/json.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {

Result<Json> unlabelled(Session& session, const Json& params) {
  Fields fields{params, ""};
  const auto limit = fields.integer("limit", 1, 1000, 1000);
  const auto after = fields.text("after", "");
  TRY(fields.finish());
  return list(session, {{"owner", "stray"}, {"limit", limit}, {"after", after}});
}

}  // namespace berth::holder::verbs
