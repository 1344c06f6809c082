#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "base/result.h"
#include "base/seam.h"

namespace berth {

/// The whole file, at most `limit` bytes. Errc::not_found when there is none, Errc::too_large past the limit,
/// Errc::failed for what is no regular file (a pipe is not waited for).
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{8} << 20);

/// Replaces or makes a file so that after a crash it holds the old bytes or the new, whole: temporary file
/// in the same folder, fsync, rename, fsync of the folder. For files that are ours alone; the engine's
/// file, with its links, owner and attributes, has an editor of its own in the host. What a death leaves of the
/// temporary file, `.NAME.berth-part`, the next write or remove of the file takes away, as does drop_unfinished.
Status write_file(const std::filesystem::path& path, std::string_view bytes, mode_t mode, Seam& seam);

/// Takes away what a write that died left beside the file; one that is under way is left alone. For whoever finds
/// the file as it shall be and writes nothing.
void drop_unfinished(const std::filesystem::path& path);

/// Removes a file and makes that durable; a missing one is success.
Status remove_file(const std::filesystem::path& path, Seam& seam);

/// "errno text" of the last failure, with what was being done: "open /etc/x: Permission denied".
Error errno_error(std::string_view doing, std::string_view target, int error);

}  // namespace berth
