#pragma once
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "host/apply/plan.h"
#include "host/path/select.h"
#include "store/store.h"

namespace berth::host::apply {

/// Records that changed and whose followers did not act yet: kept, so that a reload missed by a crash is
/// still made.
Result<std::set<std::string>> changes_due(store::Store& store);
Status keep_changes_due(store::Store& store, const std::set<std::string>& ids);

/// Reloads, restarts or signals this item if one of the resources it follows is among `changed`; says what
/// was done, nothing where there was nothing to do.
Result<std::optional<std::string>> follow(const Item& item, const std::set<std::string>& changed,
                                          resources::World& world, path::Opened& opened);

}  // namespace berth::host::apply
