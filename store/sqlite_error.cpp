#include "store/sqlite_error.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>

namespace berth::store {
namespace {

Errc code_of(int primary) {
  switch (primary) {
    case SQLITE_CONSTRAINT:
      return Errc::conflict;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Errc::busy;
    default:
      return Errc::failed;
  }
}

/// The shared-memory file beside a WAL cannot grow on a full disk either; SQLite calls that an I/O error.
bool is_full(int primary, int extended) {
  return primary == SQLITE_FULL || extended == SQLITE_IOERR_SHMSIZE;
}

/// A WAL needs its index beside it, for readers too; SQLite's own words speak of a write nobody asked for.
bool may_not_write_beside(int primary, const std::filesystem::path& path) {
  if (primary != SQLITE_READONLY && primary != SQLITE_CANTOPEN) return false;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path{"."};
  return ::access(folder.c_str(), W_OK) != 0 && errno == EACCES;
}

}  // namespace

Error sqlite_error(const SQLite::Exception& error, const std::filesystem::path& path, std::string_view doing) {
  const int primary = error.getErrorCode() & 0xff;
  std::string text = "store " + path.native() + ": " + std::string{doing} + ": ";
  if (is_full(primary, error.getExtendedErrorCode())) text += "disk full: ";
  if (may_not_write_beside(primary, path))
    text += "this account may not write in the store's folder, which reading it needs too; ask as its owner: ";
  return fail(code_of(primary), text + error.what());
}

}  // namespace berth::store
