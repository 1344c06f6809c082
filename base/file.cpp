#include "base/file.h"

#include <fcntl.h>
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

Status write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const auto n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Status sync_folder(const std::filesystem::path& folder, Seam& seam) {
  TRY(seam.before("folder.fsync", folder.native()));
  const OwnedFd fd{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd || ::fsync(fd.get()) != 0) return errno_error("fsync folder", folder.native(), errno);
  return {};
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
  const OwnedFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd) return errno_error("open", path.native(), errno);
  std::string bytes;
  for (;;) {
    const auto had = bytes.size();
    bytes.resize(had + 65536);
    const auto n = ::read(fd.get(), bytes.data() + had, 65536);
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

Status write_file(const std::filesystem::path& path, std::string_view bytes, mode_t mode, Seam& seam) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
  std::string temporary = (folder / (".berth-" + path.filename().native() + ".XXXXXX")).native();
  TRY(seam.before("file.create", path.native()));
  OwnedFd fd{::mkostemp(temporary.data(), O_CLOEXEC)};
  if (!fd) return errno_error("create a temporary file beside", path.native(), errno);
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
  return sync_folder(folder, seam);
}

Status remove_file(const std::filesystem::path& path, Seam& seam) {
  TRY(seam.before("file.remove", path.native()));
  if (::unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return {};
    return errno_error("remove", path.native(), errno);
  }
  return sync_folder(path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."}, seam);
}

}  // namespace berth
