#pragma once
#include <string_view>

#include "base/result.h"
#include "catalogue/seats.h"
#include "store/store.h"

namespace berth::catalogue {

// The rows of `seat_hold` and the enforcement beside them, for registration and assignments. Enforcement
// outlives a hold (docs/decisions/0006), so the two are written apart.

Status put_hold(store::Store& store, const Hold& hold);
Status drop_hold(store::Store& store, std::string_view machine, std::string_view seat);
Status set_enforced(store::Store& store, std::string_view machine, std::string_view seat, bool enforced);
/// Whether the seat is enforced on any machine.
Result<bool> is_enforced_anywhere(store::Store& store, std::string_view seat);

}  // namespace berth::catalogue
