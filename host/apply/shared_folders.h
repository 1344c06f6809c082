#pragma once
#include "host/records/records.h"

namespace berth::host::apply {

/// `record` is new: what other records say that we made above its path (folders, or the very file that a `json` of
/// theirs is in) is found made by us for it too. So whoever of them is given back last takes it away, in any order.
Status share_what_we_made(const Records& records, std::string_view target, Record& record);

}  // namespace berth::host::apply
