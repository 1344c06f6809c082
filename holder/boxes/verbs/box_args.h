#pragma once
#include "base/fields.h"
#include "base/json.h"
#include "holder/boxes/verbs/table.h"

namespace berth::holder::boxes::verbs {

/// `{"box": …}` and nothing else.
Result<BoxId> only_box(const Json& params);
Status nothing(const Json& params);

}  // namespace berth::holder::boxes::verbs
