#include "store/sqlite_error.h"

#include <sqlite3.h>

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

}  // namespace

Error sqlite_error(const SQLite::Exception& error, const std::filesystem::path& path, std::string_view doing) {
  const int primary = error.getErrorCode() & 0xff;
  std::string text = "store " + path.native() + ": " + std::string{doing} + ": ";
  if (is_full(primary, error.getExtendedErrorCode())) text += "disk full: ";
  return fail(code_of(primary), text + error.what());
}

}  // namespace berth::store
