#include "host/release/link.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "base/hash.h"
#include "base/owned.h"

namespace berth::host::release {

namespace fs = std::filesystem;

Result<fs::path> link_target(const fs::path& link) {
  std::error_code error;
  auto target = fs::read_symlink(link, error);
  if (error) return errno_error("read the link", link.native(), error.value());
  return target.is_absolute() ? target : link.parent_path() / target;
}

Status point_link(const fs::path& link, const fs::path& target, Seam& seam) {
  const auto temporary = link.native() + "." + random_hex(4);
  TRY(seam.before("link.create", temporary));
  if (::symlink(target.c_str(), temporary.c_str()) != 0)
    return errno_error("make the link", temporary, errno);
  const auto switched = [&]() -> Status {
    TRY(seam.before("link.rename", link.native()));
    if (::rename(temporary.c_str(), link.c_str()) != 0) return errno_error("rename to", link.native(), errno);
    return {};
  }();
  if (!switched) {
    ::unlink(temporary.c_str());
    return switched;
  }
  const OwnedFd folder{::open(link.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!folder || ::fsync(folder.get()) != 0)
    return errno_error("fsync folder", link.parent_path().native(), errno);
  return {};
}

}  // namespace berth::host::release
