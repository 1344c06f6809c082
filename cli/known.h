#pragma once
#include <string>

#include "base/result.h"
#include "store/store.h"

namespace berth::cli {

/// Whether the store has heard of this machine; Errc::not_found with the names it has. An empty name asks nothing.
/// Without it a slip of the pen reads as a machine with nothing on it.
Status check_machine(store::Store& store, const std::string& machine);

}  // namespace berth::cli
