#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "migrate/scene.h"
#include "store/ingest.h"

namespace berth::migrate {

/// Takes what the machines have reported and emitted since the last time into the operator's store, so that
/// the audits answer from it. Where it stopped is kept there too; what is known already changes nothing.
Status take_in(Scene& scene);

using Ingest = Result<store::Ingested> (*)(store::Store&, const Json&);

/// One page of a stream, and where to read on, in one transaction. A malformed message is passed over: it stays in the
/// stream, and must not hold up what comes behind it.
Status keep_page(store::Store& store, const std::string& cursor, const std::vector<Kept>& page, Ingest ingest);

// Under which setting the store keeps where a machine's stream was read to.
std::string reports_cursor(std::string_view machine);
std::string events_cursor(std::string_view machine);

}  // namespace berth::migrate
