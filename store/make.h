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

/// The newest schema and an identity in a file that has nothing yet.
Status fill_with_schema(const std::filesystem::path& temporary, Role role, const Clock& clock, Seam& seam);

/// What a name in a folder says is on the disk.
Status sync_folder(const std::filesystem::path& path);

/// Refused while anybody has it open: what they wrote afterwards would go to a file that has no name.
Status check_unused(const std::filesystem::path& path);

/// The store and its companions under a name that says when; that name, or nothing where nothing was there. Nothing is
/// thrown away here.
Result<std::string> set_aside(const std::filesystem::path& path, const Clock& clock, Seam& seam);

/// Has `fill` make a database under a temporary name beside `path`, mode 0600, and gives it its own name
/// only when whole and on the disk. Errc::conflict when `path` is there.
Status make_whole(const std::filesystem::path& path, Seam& seam,
                  const std::function<Status(const std::filesystem::path& temporary)>& fill);

}  // namespace berth::store
