#pragma once
#include <filesystem>
#include <string>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/result.h"
#include "base/seam.h"
#include "store/store.h"

namespace berth::store {

/// The store of one of a machine's programs. `program` is told to whoever finds it locked.
struct Cared {
  std::filesystem::path store;
  Role role;
  std::string program;
};

/// verify, backup FILE, restore FILE: what was done, as JSON. A store of another role is refused; a restore
/// needs the program stopped, and to be made by whoever owns the store's folder: the program could not open
/// another's file.
Result<Json> take_care(const Cared& cared, const std::string& act, const std::string& file,
                       const Clock& clock, Seam& seam);

}  // namespace berth::store
