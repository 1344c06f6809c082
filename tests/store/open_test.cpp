#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "base/hash.h"
#include "tests/store/world.h"

using namespace berth;
using namespace berth::test;
using store::Role;
using Catch::Matchers::Contains;

namespace {

void write_bytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream{path, std::ios::binary}.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

mode_t mode_of(const std::filesystem::path& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 ? about.st_mode & 07777 : 0;
}

std::string pragma(const std::filesystem::path& file, const std::string& name) {
  SQLite::Database db{file.native(), SQLite::OPEN_READONLY};
  return db.execAndGet("PRAGMA " + name).getString();
}

}  // namespace

TEST_CASE("a new store has the schema's marks, mode 0600 and an identity that stays", "[store]") {
  StoreWorld w;
  const auto old_mask = ::umask(0);
  const auto id = w.open().id();
  ::umask(old_mask);
  CHECK(id.size() == 8);
  CHECK(id.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(w.open().id() == id);
  CHECK(mode_of(w.file) == 0600);
  CHECK(pragma(w.file, "journal_mode") == "wal");
  CHECK(pragma(w.file, "application_id") == std::to_string(0x62727468));
  CHECK(pragma(w.file, "user_version") == std::to_string(store::schema_version()));
  CHECK_FALSE(std::filesystem::exists(w.file.native() + ".new"));
}

TEST_CASE("the WAL and its index are closed to others too", "[store]") {
  StoreWorld w;
  auto s = w.open();
  REQUIRE(s.set_setting("k", "v"));
  CHECK(mode_of(w.file.native() + "-wal") == 0600);
  CHECK(mode_of(w.file.native() + "-shm") == 0600);
}

TEST_CASE("a store whose mode was opened up is closed again", "[store]") {
  StoreWorld w;
  { const auto s = w.open(); }
  REQUIRE(::chmod(w.file.c_str(), 0644) == 0);
  const auto s = w.open();
  CHECK(mode_of(w.file) == 0600);
}

TEST_CASE("a file of another role is refused naming path and both roles", "[store]") {
  StoreWorld w;
  { const auto s = w.open(Role::host); }
  const auto refused = w.try_open(Role::holder);
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().detail, Contains(w.file.native()) && Contains("role host") && Contains("role holder"));
}

TEST_CASE("what is no store of ours is refused naming path and reason, and left as it was", "[store]") {
  StoreWorld w;
  std::string reason;
  SECTION("text") {
    write_bytes(w.file, "{\"machine\": \"alder\"}\n" + std::string(200, 'x'));
    reason = "not an SQLite database";
  }
  SECTION("a few bytes") {
    write_bytes(w.file, "SQLite format 3");
    reason = "not an SQLite database";
  }
  SECTION("an empty file, where a store once was") {
    write_bytes(w.file, "");
    reason = "empty";
  }
  SECTION("another program's database") {
    SQLite::Database db{w.file.native(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
    db.exec("CREATE TABLE t(x); PRAGMA application_id = 42;");
    reason = "application_id 42";
  }
  SECTION("a folder") {
    std::filesystem::create_directory(w.file);
    reason = "not a regular file";
  }
  const auto before = w.bytes();
  const auto refused = w.try_open();
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().detail, Contains(w.file.native()) && Contains(reason));
  CHECK(w.bytes() == before);
  CHECK_FALSE(store::Store::open_read_only(w.file));
}

TEST_CASE("a second opening in one process leaves the first one's locks, so that another process keeps the WAL", "[store]") {
  StoreWorld w;
  auto first = w.open();
  REQUIRE(first.set_setting("k", "before"));
  REQUIRE(store::Store::open_read_only(w.file));
  { const auto third = w.open(); }
  const pid_t child = ::fork();
  if (child == 0) {
    // Another process comes and goes; the last to close a database deletes its WAL.
    {
      SQLite::Database db{w.file.native(), SQLite::OPEN_READWRITE};
      db.execAndGet("SELECT count(*) FROM setting");
    }
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(std::filesystem::exists(w.file.native() + "-wal"));
  REQUIRE(first.set_setting("k", "after"));
  auto fresh = w.open();
  CHECK(fresh.setting("k").value() == std::optional<std::string>{"after"});
}

TEST_CASE("a damaged file is an error, not a crash", "[store]") {
  StoreWorld w;
  { const auto s = w.open(); }
  REQUIRE(::truncate(w.file.c_str(), 150) == 0);
  const auto refused = w.try_open();
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().detail, Contains(w.file.native()));
}

TEST_CASE("a newer major is refused and not one byte of it changes, a newer minor is opened", "[store]") {
  StoreWorld w;
  { auto s = w.open(); }
  SECTION("2.0") {
    {
      SQLite::Database db{w.file.native(), SQLite::OPEN_READWRITE};
      db.exec("PRAGMA user_version = 2000");
    }
    const auto before = w.bytes();
    const auto refused = w.try_open();
    REQUIRE_FALSE(refused);
    CHECK_THAT(refused.error().detail, Contains("2.0") && Contains("newer major than this program's 1.") && Contains("untouched"));
    CHECK(w.bytes() == before);
  }
  SECTION("2.0 that only the WAL knows of") {
    // What a newer program that died leaves: its version is in the WAL, the file itself still says 1.0.
    {
      SQLite::Database db{w.file.native(), SQLite::OPEN_READWRITE};
      db.exec("PRAGMA wal_autocheckpoint = 0; PRAGMA user_version = 2000");
      std::filesystem::copy(w.file, w.folder / "t.db");
      std::filesystem::copy(w.file.native() + "-wal", w.folder / "t.db-wal");
    }
    w.file = w.folder / "t.db";
    const auto before = w.bytes();
    const auto wal = read_file(w.file.native() + "-wal").value_or("?");
    REQUIRE_FALSE(w.try_open());
    CHECK(w.bytes() == before);
    CHECK(read_file(w.file.native() + "-wal").value_or("") == wal);
  }
  SECTION("1.7") {
    {
      SQLite::Database db{w.file.native(), SQLite::OPEN_READWRITE};
      db.exec("CREATE TABLE of_1_7(x); PRAGMA user_version = 1007");
    }
    auto s = w.open();
    CHECK(s.set_setting("k", "v"));
    CHECK(pragma(w.file, "user_version") == "1007");
  }
}

TEST_CASE("many openers of a fresh path make one store", "[store]") {
  StoreWorld w;
  std::vector<std::string> ids(8);
  {
    std::vector<std::jthread> openers;
    for (auto& id : ids) {
      openers.emplace_back([&w, &id] {
        const auto s = w.try_open();
        id = s ? s->id() : s.error().detail;
      });
    }
  }
  CHECK(ids == std::vector<std::string>(8, ids[0]));
  CHECK(ids[0].size() == 8);
}

TEST_CASE("a folder that is not there, or may not be written, is said", "[store]") {
  StoreWorld w;
  w.file = w.folder / "missing" / "s.db";
  const auto refused = w.try_open();
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().detail, Contains("missing/s.db") && Contains("No such file"));
}

TEST_CASE("the open is asked of the seam", "[store]") {
  StoreWorld w;
  w.seam.fail_at("store.open");
  CHECK_FALSE(w.try_open());
  CHECK_FALSE(std::filesystem::exists(w.file));
}

TEST_CASE("a read-only store reads beside a writer and writes nothing", "[store]") {
  StoreWorld w;
  auto s = w.open();
  REQUIRE(s.set_setting("k", "v"));
  auto reader = store::Store::open_read_only(w.file);
  REQUIRE(reader);
  CHECK(reader->setting("k").value() == std::optional<std::string>{"v"});
  CHECK(reader->id() == s.id());
  CHECK_FALSE(reader->set_setting("k", "w"));
  CHECK(s.setting("k").value() == std::optional<std::string>{"v"});
}
