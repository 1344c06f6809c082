#pragma once
#include "base/json_fwd.h"
#include "base/result.h"
#include "host/apply/site.h"
#include "store/store.h"

namespace berth::host::serve {

/// The machine as it is now, verbatim where a byte counts (docs/formats.md, host.ask snapshot). An engine or
/// a service manager that does not answer is an error, never an empty part.
Result<Json> snapshot(const apply::Site& site, store::Store& store, bool latched);

}  // namespace berth::host::serve
