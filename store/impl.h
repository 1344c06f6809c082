#pragma once
// Of this room only: what a Store holds.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <map>
#include <optional>

#include "store/store.h"

namespace berth::store {

/// `frozen` reads a file that nobody writes meanwhile: nothing is locked, and nothing made beside it.
enum class Access { write, read, frozen };

struct Store::Impl {
  Impl(std::filesystem::path file, SQLite::Database opened, const Clock& time, Seam& faults)
      : path(std::move(file)), db(std::move(opened)), clock(&time), seam(&faults) {}

  std::filesystem::path path;
  SQLite::Database db;
  std::map<std::string, SQLite::Statement, std::less<>> statements;  // by text; after db, so destroyed first
  const Clock* clock;
  Seam* seam;
  bool read_only = false;
  std::string id;

  bool keeps_marker = false;       // a machine's store: see marker.h
  bool begun = false;              // this process's first transaction is committed
  bool written = false;            // the marker says that commits may be in the log alone
  std::string session;

  std::optional<std::string> now;  // there while a transaction is open
  std::optional<Error> doom;       // why the open transaction can no longer be committed

  static Result<std::unique_ptr<Impl>> open(const std::filesystem::path& path, Access access, const Clock& clock,
                                            Seam& seam);
  SQLite::Statement& prepared(std::string_view sql);
  /// Whether SQLite itself still has our transaction open; some failures roll it back by themselves.
  bool in_sqlite_transaction();
  Status usable();
  Status outermost(const std::function<Status()>& body);
  Status joined(const std::function<Status()>& body);
  Status commit();
  Status mark_session();
  Status put_session();
  struct Ending;
};

/// Binds by position from 1; text with its length, so that a NUL inside stays.
void bind_values(SQLite::Statement& statement, const std::vector<Value>& args);
Columns columns_of(SQLite::Statement& statement);

}  // namespace berth::store
