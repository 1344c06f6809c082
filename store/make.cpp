#include "store/make.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "base/hash.h"
#include "base/owned.h"
#include "schema/queries.h"
#include "store/sqlite_error.h"
#include "store/upgrade.h"

namespace berth::store {
namespace {

bool is_there(const std::filesystem::path& path) {
  struct stat about {};
  return ::lstat(path.c_str(), &about) == 0;
}

bool same_file(int fd, const std::filesystem::path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(fd, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

/// The temporary file, held by flock: a second maker waits here, and what a crash left is made empty.
Result<OwnedFd> hold_temporary(const std::filesystem::path& temporary) {
  for (int tries = 0; tries < 100; ++tries) {
    OwnedFd fd{::open(temporary.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
    if (!fd) return errno_error("make", temporary.native(), errno);
    if (::flock(fd.get(), LOCK_EX) != 0) return errno_error("lock", temporary.native(), errno);
    if (!same_file(fd.get(), temporary)) continue;  // the maker before us gave it its name meanwhile
    if (::ftruncate(fd.get(), 0) != 0 || ::fchmod(fd.get(), 0600) != 0) {
      return errno_error("empty", temporary.native(), errno);
    }
    return fd;
  }
  return fail(Errc::busy, "make " + temporary.native() + ": too many others make it at once");
}

void drop_companions(const std::filesystem::path& file) {
  for (const char* tail : {"-journal", "-wal", "-shm"}) ::unlink((file.native() + tail).c_str());
}

Status give_name(int fd, const std::filesystem::path& temporary, const std::filesystem::path& path, Seam& seam) {
  if (::fsync(fd) != 0) return errno_error("fsync", temporary.native(), errno);
  TRY(seam.before("store.name", path.native()));
  // link, not rename: it never replaces what is there.
  if (::link(temporary.c_str(), path.c_str()) != 0) {
    if (errno == EEXIST) return fail(Errc::conflict, path.native() + " is there already");
    return errno_error("make", path.native(), errno);
  }
  if (::fsync(fd) != 0) return errno_error("fsync", path.native(), errno);
  return sync_folder(path);
}

}  // namespace

Status fill_with_schema(const std::filesystem::path& temporary, Role role, const Clock& clock, Seam& seam) {
  return catching(temporary, "make", [&]() -> Status {
    SQLite::Database db{temporary.native(), SQLite::OPEN_READWRITE};
    TRY(upgrade(db, temporary, migrations(), seam));
    SQLite::Statement identity{db, std::string{schema::queries::store_identity_made}};
    identity.bind(1, random_hex(4));
    identity.bind(2, std::string{role_name(role)});
    identity.bind(3, to_rfc3339(clock.now()));
    identity.exec();
    return {};
  });
}

Status sync_folder(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
  const OwnedFd parent{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!parent || ::fsync(parent.get()) != 0) return errno_error("fsync", path.native(), errno);
  return {};
}

std::string_view role_name(Role role) {
  return role == Role::host ? "host" : role == Role::holder ? "holder" : "fleet";
}

Status make_whole(const std::filesystem::path& path, Seam& seam,
                  const std::function<Status(const std::filesystem::path&)>& fill) {
  const std::filesystem::path temporary = path.native() + ".new";
  const auto fd = TRY(hold_temporary(temporary));
  drop_companions(temporary);  // a journal that a crash left must not be played into the new file
  auto made = is_there(path) ? Status{fail(Errc::conflict, path.native() + " is there already")} : fill(temporary);
  if (made) made = give_name(fd.get(), temporary, path, seam);
  drop_companions(temporary);
  ::unlink(temporary.c_str());
  return made;
}

Status make_if_absent(const std::filesystem::path& path, Role role, const Clock& clock, Seam& seam) {
  if (is_there(path)) return {};
  TRY(seam.before("store.make", path.native()));
  auto made = make_whole(path, seam, [&](const auto& temporary) {
    return fill_with_schema(temporary, role, clock, seam);
  });
  if (!made && made.error().code == Errc::conflict && is_there(path)) return {};  // a second maker was first
  return made;
}

}  // namespace berth::store
