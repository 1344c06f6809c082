#include "migrate/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/file.h"
#include "migrate/migrate.h"

namespace berth::migrate {
namespace {

std::string holder_of_lock(int fd) {
  std::array<char, 256> text{};
  const auto n = ::pread(fd, text.data(), text.size(), 0);
  std::string who{text.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
  while (!who.empty() && who.back() == '\n') who.pop_back();
  return who.empty() ? "somebody who has not yet said who" : who;
}

}  // namespace

std::filesystem::path lock_path(const std::filesystem::path& store) { return store.native() + ".runner"; }

Result<RunnerLock> RunnerLock::take(const std::filesystem::path& file, const std::string& runner) {
  OwnedFd fd{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!fd) return errno_error("open", file.native(), errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return errno_error("lock", file.native(), errno);
    return fail(Errc::stale, "another runner is at work on this store: " + holder_of_lock(fd.get()));
  }
  const auto text = runner + " (process " + std::to_string(::getpid()) + ")\n";
  if (::ftruncate(fd.get(), 0) != 0 || ::pwrite(fd.get(), text.data(), text.size(), 0) < 0) {
    return errno_error("write", file.native(), errno);
  }
  return RunnerLock{std::move(fd)};
}

}  // namespace berth::migrate
