#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "base/result.h"
#include "base/seam.h"

namespace berth {

/// The whole file, at most `limit` bytes. Errc::not_found when there is none, Errc::too_large past the limit.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{8} << 20);

/// Replaces or makes a file so that after a crash it holds the old bytes or the new, whole: temporary file
/// in the same folder, fsync, rename, fsync of the folder. For files that are ours alone; the engine's
/// file, with its links, owner and attributes, has an editor of its own in the host.
Status write_file(const std::filesystem::path& path, std::string_view bytes, mode_t mode, Seam& seam);

/// Removes a file and makes that durable; a missing one is success.
Status remove_file(const std::filesystem::path& path, Seam& seam);

/// "errno text" of the last failure, with what was being done: "open /etc/x: Permission denied".
Error errno_error(std::string_view doing, std::string_view target, int error);

}  // namespace berth
