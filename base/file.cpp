#include "base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "base/owned.h"

namespace berth {
namespace {

/// One of BERTH_DIE_AT and BERTH_FAIL_AT: which act, and how many of it are still let through.
struct Trap {
  explicit Trap(const char* variable) {
    const char* text = std::getenv(variable);
    if (text == nullptr) return;
    act = text;
    if (const auto colon = act.rfind(':'); colon != std::string::npos) {
      left = std::atoi(act.c_str() + colon + 1);
      act.resize(colon);
    }
  }
  bool springs(std::string_view name) { return !act.empty() && name == act && left.fetch_sub(1) == 1; }

  std::string act;
  std::atomic<int> left = 1;
};

class EnvironmentFaults final : public Seam {
 public:
  Status before(std::string_view act, std::string_view target) override {
    if (die_.springs(act)) ::_exit(137);
    if (fail_.springs(act)) {
      return fail(Errc::failed, std::string{act} + " " + std::string{target} + ": made to fail by BERTH_FAIL_AT");
    }
    return {};
  }

 private:
  Trap die_{"BERTH_DIE_AT"};
  Trap fail_{"BERTH_FAIL_AT"};
};

std::string kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  return S_ISSOCK(mode) ? "a socket" : "a device";
}

Result<std::string> read_all(int fd, const std::filesystem::path& path, std::size_t limit) {
  std::string bytes;
  for (;;) {
    const auto had = bytes.size();
    bytes.resize(had + 65536);
    const auto n = ::read(fd, bytes.data() + had, 65536);
    const int error = errno;
    bytes.resize(had + static_cast<std::size_t>(n < 0 ? 0 : n));
    if (n < 0 && error == EINTR) continue;
    if (n < 0) return errno_error("read", path.native(), error);
    if (bytes.size() > limit) {
      return fail(Errc::too_large, path.native() + " is larger than " + std::to_string(limit) + " bytes");
    }
    if (n == 0) return bytes;
  }
}

Status write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const auto n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
}

Status sync_folder(const std::filesystem::path& folder, Seam& seam) {
  TRY(seam.before("folder.fsync", folder.native()));
  const OwnedFd fd{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd || ::fsync(fd.get()) != 0) return errno_error("fsync folder", folder.native(), errno);
  return {};
}

std::string temporary_of(const std::filesystem::path& path) {
  return (path.parent_path() / ("." + path.filename().native() + ".berth-part")).native();
}

/// Waits for the lock; a file that was renamed or removed meanwhile is another's.
bool holds_lock_of(int fd, const std::string& path) {
  while (::flock(fd, LOCK_EX) != 0) {
    if (errno != EINTR) return false;
  }
  struct stat mine {}, there {};
  return ::fstat(fd, &mine) == 0 && ::lstat(path.c_str(), &there) == 0 && mine.st_dev == there.st_dev &&
         mine.st_ino == there.st_ino;
}

bool is_ours_alone(int fd) {
  struct stat st {};
  return ::fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 && st.st_uid == ::geteuid();
}

/// Always of the same name, so that the next writer finds what a death left; locked while it is written, so that
/// two writers of one file take turns. Whatever else lies there (a link, a pipe, somebody's file) goes.
Result<OwnedFd> open_temporary(const std::filesystem::path& path) {
  const auto temporary = temporary_of(path);
  constexpr int kTries = 100;
  int error = 0;
  for (int i = 0; i < kTries; ++i) {
    OwnedFd fd{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)};
    error = errno;
    const bool in_the_way = !fd && (error == EACCES || error == ELOOP || error == ENXIO);
    if (!fd && !in_the_way) break;
    if (fd && !holds_lock_of(fd.get(), temporary)) continue;
    if (fd && is_ours_alone(fd.get()) && ::ftruncate(fd.get(), 0) == 0) return fd;
    if (::unlink(temporary.c_str()) != 0 && errno != ENOENT) break;
  }
  return errno_error("create a temporary file beside", path.native(), error);
}

}  // namespace

Seam& no_faults() {
  static EnvironmentFaults faults;
  return faults;
}

Error errno_error(std::string_view doing, std::string_view target, int error) {
  const auto code = error == ENOENT ? Errc::not_found : Errc::failed;
  return fail(code, std::string{doing} + " " + std::string{target} + ": " + std::strerror(error));
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
  // Without O_NONBLOCK a pipe that nobody writes would hold the caller for ever.
  const OwnedFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!fd) return errno_error("open", path.native(), errno);
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return errno_error("look at", path.native(), errno);
  if (!S_ISREG(st.st_mode)) return fail(Errc::failed, path.native() + " is " + kind_of(st.st_mode) + ", not a regular file");
  return read_all(fd.get(), path, limit);
}

Status write_file(const std::filesystem::path& path, std::string_view bytes, mode_t mode, Seam& seam) {
  const auto temporary = temporary_of(path);
  TRY(seam.before("file.create", path.native()));
  const auto fd = TRY(open_temporary(path));
  const auto put = [&]() -> Status {
    TRY(seam.before("file.write", path.native()));
    TRY(write_all(fd.get(), bytes, temporary));
    if (::fchmod(fd.get(), mode) != 0) return errno_error("chmod", temporary, errno);
    TRY(seam.before("file.fsync", path.native()));
    if (::fsync(fd.get()) != 0) return errno_error("fsync", temporary, errno);
    TRY(seam.before("file.rename", path.native()));
    if (::rename(temporary.c_str(), path.c_str()) != 0) return errno_error("rename to", path.native(), errno);
    return {};
  };
  if (auto done = put(); !done) {
    ::unlink(temporary.c_str());
    return done;
  }
  return sync_folder(folder_of(path), seam);
}

void drop_unfinished(const std::filesystem::path& path) {
  const auto temporary = temporary_of(path);
  const OwnedFd fd{::open(temporary.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(temporary.c_str());
}

Status remove_file(const std::filesystem::path& path, Seam& seam) {
  drop_unfinished(path);
  TRY(seam.before("file.remove", path.native()));
  if (::unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return {};
    return errno_error("remove", path.native(), errno);
  }
  return sync_folder(folder_of(path), seam);
}

}  // namespace berth
