#include "holder/boxes/verbs/box_args.h"

namespace berth::holder::boxes::verbs {

Result<BoxId> only_box(const Json& params) {
  Fields fields{params, ""};
  const auto box = fields.text("box");
  TRY(fields.finish());
  return BoxId::parse(box);
}

Status nothing(const Json& params) { return Fields{params, ""}.finish(); }

}  // namespace berth::holder::boxes::verbs
