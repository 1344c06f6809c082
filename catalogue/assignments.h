#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/store.h"

namespace berth::catalogue {

// The rows of `assignment`, for import and the commands.

/// Names only, in name order.
Result<std::vector<std::string>> assignment_rows(store::Store& store, std::string_view machine);
Status put_assignment(store::Store& store, std::string_view machine, std::string_view module,
                      std::string_view settings);

/// Takes an assignment away. A module that holds a seat there: refused while containers of other
/// assignments need it (Errc::seat_unheld), else its hold goes with it and the seat stays enforced.
Status take_away(store::Store& store, std::string_view machine, std::string_view module);

}  // namespace berth::catalogue
