#include "store/lock.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/file.h"

namespace berth::store {

Result<StoreLock> StoreLock::take(const std::filesystem::path& store, std::string_view who,
                                  std::chrono::milliseconds limit) {
  // The store's folder is root's alone: what was found in files may be in it.
  std::error_code error;
  if (std::filesystem::create_directories(store.parent_path(), error)) {
    std::filesystem::permissions(store.parent_path(), std::filesystem::perms::owner_all, error);
  }
  const auto path = store.native() + ".lock";
  OwnedFd fd{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  if (!fd) return errno_error("open the lock", path, errno);
  const auto until = std::chrono::steady_clock::now() + limit;
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return errno_error("lock", path, errno);
    if (std::chrono::steady_clock::now() >= until) {
      const auto holder = read_file(path, 4096).value_or("another process");
      return fail(Errc::busy, "the store " + store.native() + " is written by " + holder +
                                  "; ask it over the bus, or stop that process");
    }
    ::poll(nullptr, 0, 50);
  }
  const auto text = std::string{who} + " (pid " + std::to_string(::getpid()) + ")";
  if (::ftruncate(fd.get(), 0) != 0 || ::pwrite(fd.get(), text.data(), text.size(), 0) < 0) {
    return errno_error("write the lock", path, errno);
  }
  return StoreLock{std::move(fd)};
}

}  // namespace berth::store
