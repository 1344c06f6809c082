#pragma once
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/result.h"
#include "host/path/path.h"

namespace berth::host::path::cli {

Result<std::vector<Seen>> read_list(Seam& seam);
Result<Json> read_one(const std::string& container, Seam& seam);
Result<EngineView> read_engine(Seam& seam);
Result<bool> read_reload(Time since, Time now, Seam& seam);

/// One object of `docker inspect` as the host needs it, and as the daemon's own words allow.
Seen seen_of(const Json& inspected);
EngineView engine_of(const Json& info);

}  // namespace berth::host::path::cli
