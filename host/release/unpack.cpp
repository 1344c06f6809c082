#include "host/release/unpack.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "base/owned.h"
#include "base/process.h"

namespace berth::host::release {

Status unpack(const std::filesystem::path& archive, const std::filesystem::path& folder, Seam& seam) {
  // tar itself takes a leading '/' away and refuses '..'.
  TRY(run_checked({"tar", "--extract", "--gzip", "--file", archive.native(), "--directory", folder.native(),
                   "--no-same-owner", "--no-same-permissions"},
                  std::chrono::minutes{5}, seam));
  return {};
}

Status sync_tree(const std::filesystem::path& folder) {
  // One folder of a few large files: the whole file system is synced faster than it is walked.
  const OwnedFd fd{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd || ::syncfs(fd.get()) != 0) return errno_error("sync", folder.native(), errno);
  return {};
}

}  // namespace berth::host::release
