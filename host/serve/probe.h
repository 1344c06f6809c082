#pragma once
#include "base/json_fwd.h"
#include "base/result.h"
#include "host/apply/site.h"

namespace berth::host::serve {

/// Makes and removes one unlabelled, never started container from an image that a container here was made
/// from, by the path this release uses now: {"path", "id", "name", "image"}.
Result<Json> probe(const apply::Site& site, bool latched);

}  // namespace berth::host::serve
