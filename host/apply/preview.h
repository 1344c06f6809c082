#pragma once
#include "base/json.h"
#include "base/result.h"
#include "host/apply/site.h"
#include "store/store.h"

namespace berth::host::apply {

/// What a push would leave in the engine's file, and what it would be refused for; nothing is changed, a
/// read-only store is enough: {"push_id", "file": {"path","exists","text","sha256"}, "waiting": [keys]}.
Result<Json> preview(const Json& body, store::Store& store, const Site& site);

}  // namespace berth::host::apply
