#pragma once
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include "base/file.h"
#include "catch.h"
#include "store/store.h"
#include "tests/support/fakes.h"

namespace berth::test {

/// One store file in a folder of its own.
struct StoreWorld {
  TempFolder folder;
  HandClock clock;
  ScriptedSeam seam;
  std::filesystem::path file = folder / "s.db";

  Result<store::Store> try_open(store::Role role = store::Role::fleet) {
    return store::Store::open(file, role, clock, seam);
  }
  store::Store open(store::Role role = store::Role::fleet) {
    auto opened = try_open(role);
    if (!opened) FAIL(opened.error().detail);
    return std::move(opened).value();
  }
  std::string bytes() { return read_file(file).value_or("?"); }
};

/// The error of a statement, or "" when it is taken: how plain SQL, outside our code, is answered.
inline std::string complaint(SQLite::Database& db, const std::string& sql) {
  try {
    db.exec(sql);
    return {};
  } catch (const SQLite::Exception& error) {
    return error.what();
  }
}

}  // namespace berth::test
