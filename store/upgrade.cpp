#include "store/upgrade.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <charconv>

#include "schema/migrations.h"
#include "store/sqlite_error.h"

namespace berth::store {
namespace {

int version_of(std::string_view sql) {
  constexpr std::string_view kMark = "user_version ";
  const auto line = sql.substr(0, sql.find('\n'));
  const auto at = line.find(kMark);
  int version = 0;
  if (at != std::string_view::npos) {
    const auto digits = line.substr(at + kMark.size());
    std::from_chars(digits.data(), digits.data() + digits.size(), version);
  }
  return version;
}

std::string dotted(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000);
}

/// One file, whole or not at all. Foreign keys are off meanwhile, because a table that is made anew is
/// dropped in between; what they say is checked before the commit.
Status run_file(SQLite::Database& db, const std::filesystem::path& path, const Migration& file, Seam& seam) {
  SQLite::Transaction transaction{db, SQLite::TransactionBehavior::IMMEDIATE};
  if (schema_mark(db).user_version >= file.version) return {};  // another opener was first
  db.exec(std::string{file.sql});
  db.exec("PRAGMA application_id = " + std::to_string(kApplicationId));
  db.exec("PRAGMA user_version = " + std::to_string(file.version));
  if (SQLite::Statement broken{db, "PRAGMA foreign_key_check"}; broken.executeStep()) {
    return fail(Errc::failed, "store " + path.native() + ": upgrade " + std::string{file.name} +
                                  " leaves a broken reference in table " + broken.getColumn(0).getString());
  }
  TRY(seam.before("store.commit", path.native()));
  transaction.commit();
  return {};
}

struct ForeignKeysOff {
  SQLite::Database& db;
  explicit ForeignKeysOff(SQLite::Database& handle) : db(handle) { db.exec("PRAGMA foreign_keys = OFF"); }
  ~ForeignKeysOff() { db.tryExec("PRAGMA foreign_keys = ON"); }
};

}  // namespace

const std::vector<Migration>& migrations() {
  static const std::vector<Migration> files = [] {
    std::vector<Migration> all;
    for (const auto& file : schema::migrations::all_migrations()) {
      all.push_back({file.name, version_of(file.text), file.text});
    }
    return all;
  }();
  return files;
}

int schema_version() { return newest_version(); }

int newest_version() { return migrations().back().version; }

Status check_mark(const SchemaMark& mark, const std::filesystem::path& path, int newest) {
  if (mark.application_id != kApplicationId) {
    return fail(Errc::conflict, "store " + path.native() + ": this SQLite file belongs to another program (application_id " +
                                    std::to_string(mark.application_id) + "); it was left untouched");
  }
  if (mark.user_version / 1000 > newest / 1000) {
    return fail(Errc::conflict, "store " + path.native() + ": its schema " + dotted(mark.user_version) +
                                    " is of a newer major than this program's " + dotted(newest) +
                                    "; it was left untouched");
  }
  return {};
}

Status upgrade(SQLite::Database& db, const std::filesystem::path& path, const std::vector<Migration>& files,
               Seam& seam) {
  const int current = schema_mark(db).user_version;
  if (current >= files.back().version) return {};
  const ForeignKeysOff off{db};
  for (const auto& file : files) {
    if (file.version <= current) continue;
    TRY(catching(path, "upgrade " + std::string{file.name}, [&] { return run_file(db, path, file, seam); }));
  }
  return {};
}

}  // namespace berth::store
