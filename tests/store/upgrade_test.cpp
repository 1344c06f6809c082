#include "store/upgrade.h"

#include "tests/store/world.h"

using namespace berth;
using namespace berth::test;
using store::Migration;
using Catch::Matchers::Contains;

namespace {

/// Files of two later schemas: one that adds, one that makes a table anew.
constexpr Migration kAdds{"002_adds", 1900, "CREATE TABLE added(x TEXT) STRICT; INSERT INTO added VALUES ('a;b');"};
constexpr Migration kRebuilds{"003_rebuilds", 2000,
                              "CREATE TABLE machine_2(name TEXT PRIMARY KEY, machine_id TEXT NOT NULL UNIQUE, more TEXT) STRICT;"
                              "INSERT INTO machine_2 SELECT name, machine_id, 'x' FROM machine;"
                              "DROP TABLE machine; ALTER TABLE machine_2 RENAME TO machine;"};

struct OldStore : StoreWorld {
  OldStore() {
    auto s = open();
    db = std::make_unique<SQLite::Database>(file.native(), SQLite::OPEN_READWRITE);
    db->exec("PRAGMA foreign_keys = ON");
    db->exec("INSERT INTO machine(name, machine_id) VALUES ('alder', 'a');"
             "INSERT INTO config_snapshot VALUES (1, 'alder', 't', 's', '{}');");
  }
  Status run(std::vector<Migration> later) {
    auto files = store::migrations();
    files.insert(files.end(), later.begin(), later.end());
    return store::upgrade(*db, file, files, seam);
  }
  int version() { return store::schema_mark(*db).user_version; }
  std::unique_ptr<SQLite::Database> db;
};

}  // namespace

TEST_CASE("the embedded migrations are numbered, and their versions grow from 1.0", "[store][upgrade]") {
  int number = 0;
  int version = 999;
  for (const auto& file : store::migrations()) {
    CAPTURE(file.name);
    ++number;
    CHECK(std::stoi(std::string{file.name}.substr(0, 3)) == number);
    CHECK(file.version > version);
    version = file.version;
  }
  CHECK(store::migrations().front().version == 1000);
}

TEST_CASE("an upgrade runs what is newer than the file, and keeps the rows", "[store][upgrade]") {
  OldStore w;
  REQUIRE(w.run({kAdds, kRebuilds}));
  CHECK(w.version() == 2000);
  CHECK(w.db->execAndGet("SELECT x FROM added").getString() == "a;b");
  CHECK(w.db->execAndGet("SELECT more FROM machine").getString() == "x");
  CHECK(w.db->execAndGet("PRAGMA foreign_keys").getInt() == 1);
  REQUIRE(w.run({kAdds, kRebuilds}));  // again: nothing to do
}

TEST_CASE("an upgrade that fails half way leaves the last whole schema", "[store][upgrade]") {
  OldStore w;
  std::string reason;
  std::vector<Migration> files{kAdds};
  SECTION("a statement that is wrong") {
    files.push_back({"003_wrong", 1902, "CREATE TABLE half(x TEXT) STRICT; CREATE TABLE nonsense("});
    reason = "003_wrong";
  }
  SECTION("a reference that no longer holds") {
    files.push_back({"003_breaks", 1902, "CREATE TABLE half(x TEXT) STRICT; DELETE FROM machine;"});
    reason = "broken reference in table config_snapshot";
  }
  SECTION("a crash before its commit") {
    files.push_back({"003_fine", 1902, "CREATE TABLE half(x TEXT) STRICT;"});
    w.seam.fail_at("store.commit", 2);
    reason = "made to fail";
  }
  const auto failed = w.run(files);
  REQUIRE_FALSE(failed);
  CHECK_THAT(failed.error().detail, Contains(reason));
  CHECK(w.version() == 1900);
  CHECK_FALSE(w.db->tableExists("half"));
  CHECK(w.db->execAndGet("SELECT count(*) FROM machine").getInt() == 1);
}

TEST_CASE("a store of before has what its fleet document says by machine after the upgrade", "[store][upgrade]") {
  const TempFolder folder;
  SQLite::Database db{(folder / "s.db").native(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
  auto files = store::migrations();
  const auto later = std::ranges::find(files, 1004, &Migration::version);
  REQUIRE(later != files.end());
  REQUIRE(store::upgrade(db, folder / "s.db", {files.begin(), later}, no_faults()));
  db.exec(R"(INSERT INTO setting VALUES ('fleet', '{"name": "mesh", "machines": [{"name": "alder", "account": "a"}, {"name": "birch"}]}', 't'))");
  REQUIRE(store::upgrade(db, folder / "s.db", files, no_faults()));
  const auto part = [&](const std::string& machine) {
    return db.execAndGet("SELECT facts FROM fleet_part WHERE machine = '" + machine + "'").getString();
  };
  CHECK(part("alder") == R"({"name":"alder","account":"a"})");
  CHECK(part("birch") == R"({"name":"birch"})");
  CHECK(part("") == R"({"name":"mesh"})");
  db.exec("DELETE FROM setting WHERE key = 'fleet'");
  CHECK(db.execAndGet("SELECT count(*) FROM fleet_part").getInt() == 0);
}
