#include <SQLiteCpp/Backup.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "store/impl.h"
#include "store/make.h"
#include "store/marker.h"
#include "store/sqlite_error.h"

namespace berth::store {
namespace {

Status rename_to(const std::string& from, const std::string& to, Seam& seam) {
  TRY(seam.before("store.move", from));
  return ::rename(from.c_str(), to.c_str()) == 0 || errno == ENOENT ? Status{} : Status{errno_error("move", from, errno)};
}

/// What a backup with a log beside it is read from: the log cannot be read where nothing may be written.
class SourceCopy {
 public:
  explicit SourceCopy(std::filesystem::path path) : path_(std::move(path)) {}
  SourceCopy(const SourceCopy&) = delete;
  SourceCopy& operator=(const SourceCopy&) = delete;
  ~SourceCopy() { drop(); }
  Status fill(const std::filesystem::path& backup) {
    drop();  // what a crash left
    for (const char* tail : {"", "-wal"}) {
      std::error_code error;
      std::filesystem::copy_file(backup.native() + tail, path_.native() + tail, error);
      if (error) return fail(Errc::failed, "copy " + backup.native() + tail + " to read it: " + error.message());
      std::filesystem::permissions(path_.native() + tail, std::filesystem::perms{0600}, error);
    }
    return {};
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  void drop() const {
    for (const char* tail : {"", "-wal", "-shm"}) ::unlink((path_.native() + tail).c_str());
  }

  std::filesystem::path path_;
};

bool has_full_log(const std::filesystem::path& backup) {
  std::error_code error;
  const auto size = std::filesystem::file_size(backup.native() + "-wal", error);
  return !error && size > 0;
}

}  // namespace

Status check_unused(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return {};
  return catching(path, "restore", [&]() -> Status {
    SQLite::Database db{path.native(), SQLite::OPEN_READWRITE};
    try {
      db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK");
    } catch (const SQLite::Exception& error) {
      if (error.getErrorCode() == 5 || error.getErrorCode() == 6)
        return fail(Errc::busy, "store " + path.native() + " is in use: stop what uses it first");
      // A damaged one cannot be locked, and is what a restore is for.
    }
    return {};
  });
}

Result<std::string> set_aside(const std::filesystem::path& path, const Clock& clock, Seam& seam) {
  std::string aside;
  for (const char* tail : {"", "-wal", "-shm", ".mark"}) {
    const auto from = path.native() + tail;
    if (!std::filesystem::exists(from)) continue;
    if (aside.empty()) aside = path.native() + ".before-" + to_rfc3339(clock.now());
    TRY(rename_to(from, aside + tail, seam));
  }
  return aside;
}

Result<std::string> Store::restore(const std::filesystem::path& backup, const std::filesystem::path& path, Role role,
                                   const Clock& clock, Seam& seam) {
  SourceCopy copied{path.native() + ".source"};
  const bool with_log = has_full_log(backup);
  if (with_log) TRY(copied.fill(backup));
  auto opened = with_log ? open_to_read(copied.path(), role, false) : open_to_read(backup, role, true);
  if (!opened) return std::move(opened).error().while_doing("read the backup " + backup.native());
  auto source = std::move(opened).value();
  TRY(source.verify());
  TRY(check_unused(path));
  const auto fresh = path.native() + ".restored";
  ::unlink(fresh.c_str());  // what a crash left of an earlier try
  TRY(make_whole(fresh, seam, [&](const std::filesystem::path& temporary) {
    return catching(fresh, "restore", [&]() -> Status {
      SQLite::Database copy{temporary.native(), SQLite::OPEN_READWRITE};
      SQLite::Backup whole{copy, source.impl_->db};
      whole.executeStep(-1);
      return {};
    });
  }));
  auto aside = TRY(set_aside(path, clock, seam));
  TRY(rename_to(fresh, path.native(), seam));
  return aside;
}

}  // namespace berth::store
