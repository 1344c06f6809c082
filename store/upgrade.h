#pragma once
// Of this room only: which schema a file has, and how it gets ours.
#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/seam.h"

namespace berth::store {

/// "brth": tells our files from every other SQLite file.
constexpr int kApplicationId = 0x62727468;

/// One file of schema/migrations/; its first line says "user_version <major*1000+minor>".
struct Migration {
  std::string_view name;
  int version;
  std::string_view sql;
};

/// The embedded files in order, versions growing.
const std::vector<Migration>& migrations();
int newest_version();

/// What a file says of itself.
struct SchemaMark {
  int application_id;
  int user_version;
};
SchemaMark schema_mark(SQLite::Database& db);
/// The same of a file just opened; errors for what is no SQLite file.
Result<SchemaMark> schema_mark_of(SQLite::Database& db, const std::filesystem::path& path);

/// Refuses what is no regular file and what is empty. Looks at its name only: a descriptor of our own on
/// the file would, when closed, take away every lock that this process's SQLite connections hold on it
/// (POSIX locks; https://sqlite.org/howtocorrupt.html, 2.2), and another process would then delete the WAL
/// under them.
Status check_file(const std::filesystem::path& path);

/// Refuses another program's file and a newer major; a newer minor of our major passes.
Status check_mark(const SchemaMark& mark, const std::filesystem::path& path, int newest);

/// Runs what is newer than the file, each in one transaction of its own; a failure leaves the file at the
/// last whole one.
Status upgrade(SQLite::Database& db, const std::filesystem::path& path, const std::vector<Migration>& files,
               Seam& seam);

}  // namespace berth::store
