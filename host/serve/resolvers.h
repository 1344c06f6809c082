#pragma once
#include "base/json_fwd.h"
#include "base/result.h"
#include "host/apply/site.h"
#include "host/path/select.h"
#include "store/store.h"

namespace berth::host::serve {

/// Adds to each running container of a containers document the resolvers it was given that are this machine's
/// own (`pinned_resolvers`; left out where there is none): an address of the machine, or one that a record of
/// ours ever wrote as the engine's `dns`. A container keeps the resolvers of its last start, so these must be
/// restarted before such a resolver goes. The engine's inner resolver hides those behind it.
Status add_pinned_resolvers(Json& containers, const apply::Site& site, store::Store& store, path::Path& path);

}  // namespace berth::host::serve
