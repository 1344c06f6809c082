#pragma once
// Of this room only: how a store comes to be.
#include <filesystem>
#include <functional>
#include <string>

#include "base/clock.h"
#include "base/seam.h"
#include "store/store.h"

namespace berth::store {

std::string_view role_name(Role role);

/// Makes `path` with the newest schema and an identity, unless something is there already. A crash or a
/// second maker leaves either no file or one whole store under that name.
Status make_if_absent(const std::filesystem::path& path, Role role, const Clock& clock, Seam& seam);

/// Has `fill` make a database under a temporary name beside `path`, mode 0600, and gives it its own name
/// only when whole and on the disk. Errc::conflict when `path` is there.
Status make_whole(const std::filesystem::path& path, Seam& seam,
                  const std::function<Status(const std::filesystem::path& temporary)>& fill);

}  // namespace berth::store
