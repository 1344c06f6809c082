#include <SQLiteCpp/Statement.h>
#include <sqlite3.h>

#include <chrono>

#include "base/owned.h"
#include "store/audit.h"
#include "store/impl.h"
#include "store/sqlite_error.h"

namespace berth::store {
namespace {

constexpr auto kLongest = std::chrono::seconds{60};
constexpr std::size_t kLongestText = std::size_t{1} << 20;
constexpr int kStepsBetweenLooks = 100'000;

/// Reading and its functions; everything else (ATTACH, PRAGMA, writes, transactions) is refused when the
/// statement is prepared.
int only_reading(void*, int action, const char*, const char* name, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return name != nullptr && sqlite3_stricmp(name, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    default:
      return SQLITE_DENY;
  }
}

/// Ends a statement that would run for ever.
int past_deadline(void* deadline) {
  using Clock = std::chrono::steady_clock;
  return Clock::now() > *static_cast<const Clock::time_point*>(deadline) ? 1 : 0;
}

/// A mistake in what a person wrote is theirs, not a failure of the store.
Error explained(const SQLite::Exception& error, const std::filesystem::path& path) {
  const std::string text = error.what();
  switch (error.getErrorCode() & 0xff) {
    case SQLITE_AUTH:
      return fail_field(Errc::bad_request, "sql", "only one SELECT can be run here: " + text);
    case SQLITE_ERROR:
    case SQLITE_RANGE:
      return fail_field(Errc::bad_request, "sql", text);
    case SQLITE_INTERRUPT:
      return fail(Errc::timeout, "the statement did not end within " + std::to_string(kLongest.count()) + " s");
    default:
      return sqlite_error(error, path, "select");
  }
}

using AnyStatement = CPtr<sqlite3_stmt, sqlite3_finalize>;

/// Nothing, or why this is not one statement and only white space, comments and ';' after it. What is wrong
/// in the first one by itself is said by the run.
std::string not_one(sqlite3* db, std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const char* rest = nullptr;
  const int size = static_cast<int>(sql.size());
  if (sqlite3_prepare_v2(db, sql.data(), size, &statement, &rest) != SQLITE_OK) return {};
  const AnyStatement first{statement};
  if (!first) return "there is no statement";
  const int code = sqlite3_prepare_v2(db, rest, size - static_cast<int>(rest - sql.data()), &statement, nullptr);
  const AnyStatement second{statement};
  return second || code != SQLITE_OK ? "only one statement can be run at once" : "";
}

}  // namespace

Result<Store::Table> run_select(const std::filesystem::path& path, std::string_view sql, std::optional<Role> role) {
  auto store = TRY(Store::open_read_only(path, role));
  return store.select(sql);
}

Result<Store::Table> Store::select(std::string_view sql) {
  auto* db = impl_->db.getHandle();
  auto deadline = std::chrono::steady_clock::now() + kLongest;
  sqlite3_set_authorizer(db, only_reading, nullptr);
  sqlite3_progress_handler(db, kStepsBetweenLooks, past_deadline, &deadline);
  if (sql.size() > kLongestText) return fail_field(Errc::too_large, "sql", "the statement is over 1 MiB");
  if (auto why = not_one(db, sql); !why.empty()) return fail_field(Errc::bad_request, "sql", std::move(why));
  try {
    SQLite::Statement statement{impl_->db, std::string{sql}};
    Table table;
    for (int i = 0; i < statement.getColumnCount(); ++i) table.columns.emplace_back(statement.getColumnName(i));
    while (statement.executeStep()) table.rows.push_back(columns_of(statement).values());
    return table;
  } catch (const SQLite::Exception& error) {
    return explained(error, impl_->path);
  }
}

}  // namespace berth::store
