#pragma once
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "host/apply/site.h"
#include "host/records/record.h"
#include "store/store.h"

namespace berth::host::serve {

/// The machine as it is now, verbatim where a byte counts (docs/formats.md, host.ask snapshot). An engine or
/// a service manager that does not answer is an error, never an empty part.
Result<Json> snapshot(const apply::Site& site, store::Store& store, bool latched);

/// The engine's file as it is: bytes where they are UTF-8, mode, owner, link target, sha256.
Result<Json> file_document(const apply::Site& site);

/// Who set each key: the record that writes it (a module's before a carried one), a flag, or a hand.
Json keys_document(const Json& file, const Json& flags, const std::vector<Record>& records, const std::string& engine_file);

}  // namespace berth::host::serve
