#pragma once
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"
#include "catalogue/facts.h"
#include "store/store.h"

namespace berth::catalogue {

/// Issues a machine's own three subjects {push, ask, report} and answers them as host.json has them. Again:
/// the same ones.
Result<Json> issue_host(store::Store& store, const FleetFacts& fleet, std::string_view machine);

/// The seat file of a machine (docs/formats.md): issued subjects, the stream, the grants that reach it.
/// Errc::seat_unheld when nobody holds the seat there.
Result<Json> seat_file(store::Store& store, std::string_view machine, std::string_view seat);

/// "BERTH_<NAME>_EVENTS" and its like, for whoever has the fleet's name as text.
std::string stream_name(std::string_view fleet, std::string_view what);

}  // namespace berth::catalogue
