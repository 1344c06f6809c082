#include <SQLiteCpp/Exception.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/file.h"
#include "store/upgrade.h"

namespace berth::store {
namespace {

Error no_store(const std::filesystem::path& path, std::string_view why) {
  return fail(Errc::conflict, "store " + path.native() + ": " + std::string{why} + "; it was left untouched");
}

}  // namespace

Status check_file(const std::filesystem::path& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return errno_error("open the store", path.native(), errno);
  if (!S_ISREG(about.st_mode)) return no_store(path, "this is not a regular file");
  if (about.st_size == 0) return no_store(path, "the file is there but empty, so its contents were lost");
  return {};
}

SchemaMark schema_mark(SQLite::Database& db) {
  return {db.execAndGet("PRAGMA application_id").getInt(), db.execAndGet("PRAGMA user_version").getInt()};
}

Result<SchemaMark> schema_mark_of(SQLite::Database& db, const std::filesystem::path& path) {
  try {
    return schema_mark(db);
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() == SQLITE_NOTADB) return no_store(path, "this is not an SQLite database");
    throw;
  }
}

}  // namespace berth::store
