#include <sys/wait.h>

#include <thread>

#include "schema/queries.h"
#include "tests/store/world.h"

using namespace berth;
using namespace berth::test;
using Catch::Matchers::Contains;

TEST_CASE("a transaction commits whole, and what its body refuses rolls back", "[store]") {
  StoreWorld w;
  auto s = w.open();
  REQUIRE(s.transaction([&]() -> Status {
    TRY(s.set_setting("a", "1"));
    return s.set_setting("b", "1");
  }));
  const auto failed = s.transaction([&]() -> Status {
    TRY(s.set_setting("a", "2"));
    return fail(Errc::drift, "changed my mind");
  });
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == Errc::drift);
  CHECK(s.setting("a").value().value() == "1");
  CHECK(s.set_setting("a", "3"));  // still usable
  CHECK(w.open().setting("a").value().value() == "3");
}

TEST_CASE("a joined transaction is part of the outer one, and its failure dooms it", "[store]") {
  StoreWorld w;
  auto s = w.open();
  REQUIRE(s.transaction([&]() -> Status {
    TRY(s.set_setting("outer", "1"));
    return s.transaction([&] { return s.set_setting("inner", "1"); });
  }));
  CHECK(s.setting("inner").value().value() == "1");

  const auto swallowed = s.transaction([&]() -> Status {
    TRY(s.set_setting("outer", "2"));
    const auto inner = s.transaction([&]() -> Status {
      TRY(s.set_setting("inner", "2"));
      return fail(Errc::stale, "the inner part failed");
    });
    CHECK_FALSE(inner);
    return {};  // the caller forgets about it
  });
  REQUIRE_FALSE(swallowed);
  CHECK(swallowed.error().code == Errc::stale);
  CHECK(s.setting("outer").value().value() == "1");
  CHECK(s.setting("inner").value().value() == "1");
}

TEST_CASE("a body that throws leaves no transaction open", "[store]") {
  StoreWorld w;
  auto s = w.open();
  CHECK_THROWS_AS(static_cast<void>(s.transaction([&]() -> Status {
    TRY(s.set_setting("a", "1"));
    throw std::runtime_error("not ours");
  })),
                  std::runtime_error);
  CHECK_FALSE(s.setting("a").value());
  CHECK(s.set_setting("a", "2"));
}

TEST_CASE("a transaction has one now", "[store]") {
  StoreWorld w;
  auto s = w.open();
  const auto start = s.now();
  REQUIRE(s.transaction([&]() -> Status {
    w.clock.advance(std::chrono::seconds{5});
    CHECK(s.now() == start);
    return {};
  }));
  CHECK(s.now() == "2026-01-02T03:04:10.000000000Z");
}

TEST_CASE("every commit asks the seam, and a failure there changes nothing", "[store]") {
  StoreWorld w;
  auto s = w.open();
  const auto before = w.seam.count("store.commit");
  REQUIRE(s.set_setting("a", "1"));
  CHECK(w.seam.count("store.commit") == before + 1);
  w.seam.fail_at("store.commit");
  CHECK_FALSE(s.set_setting("a", "2"));
  CHECK(s.setting("a").value().value() == "1");
  CHECK(s.set_setting("a", "3"));
}

TEST_CASE("a second writer waits for the first, and is told busy when it takes too long", "[store]") {
  StoreWorld w;
  auto first = w.open();
  auto second = w.open();
  SQLite::Database db{w.file.native(), SQLite::OPEN_READWRITE};
  db.exec("BEGIN IMMEDIATE");
  std::jthread later{[&] {
    std::this_thread::sleep_for(std::chrono::milliseconds{300});
    db.exec("COMMIT");
  }};
  CHECK(second.set_setting("waited", "1"));
  later.join();
  db.exec("BEGIN IMMEDIATE");
  const auto refused = first.set_setting("k", "v");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::busy);
  db.exec("ROLLBACK");
  CHECK(first.set_setting("k", "v"));
}

TEST_CASE("a process killed before any commit leaves all of the transaction before it or nothing", "[store][crash]") {
  // Each round changes two rows that must always agree.
  for (int cut = 1; cut <= 8; ++cut) {
    CAPTURE(cut);
    StoreWorld w;
    w.open();
    const auto child = ::fork();
    if (child == 0) {
      ScriptedSeam deadly;
      deadly.die_at("store.commit", cut);
      auto s = store::Store::open(w.file, store::Role::fleet, w.clock, deadly);
      for (int i = 1; s && i <= 20; ++i) {
        const auto value = std::to_string(i);
        const auto done = s->transaction([&]() -> Status {
          TRY(s->set_setting("left", value));
          return s->set_setting("right", value);
        });
        if (!done) ::_exit(1);
      }
      ::_exit(2);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WEXITSTATUS(status) == 137);
    auto s = w.open();
    const auto left = s.setting("left").value().value_or("0");
    CHECK(left == s.setting("right").value().value_or("0"));
    CHECK(left == std::to_string(cut - 1));
    CHECK(s.verify());
  }
}

TEST_CASE("a process killed while it makes a store leaves no half of one", "[store][crash]") {
  for (const char* act : {"store.make", "store.commit", "store.name"}) {
    CAPTURE(act);
    StoreWorld w;
    const auto child = ::fork();
    if (child == 0) {
      ScriptedSeam deadly;
      deadly.die_at(act);
      const auto s = store::Store::open(w.file, store::Role::fleet, w.clock, deadly);
      ::_exit(2);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WEXITSTATUS(status) == 137);
    CHECK_FALSE(std::filesystem::exists(w.file));
    auto s = w.open();
    CHECK(s.verify());
    CHECK_FALSE(std::filesystem::exists(w.file.native() + ".new"));
  }
}

TEST_CASE("text with a NUL, quotes and every kind of letter comes back as it went in", "[store]") {
  StoreWorld w;
  auto s = w.open();
  const std::string odd{"a\0b'\"; DROP TABLE setting; -- \xc3\xa9\xf0\x9f\x90\xb3", 35};
  REQUIRE(s.set_setting("odd", odd));
  CHECK(s.setting("odd").value().value() == odd);
}

TEST_CASE("a statement that cannot be prepared is an error naming it", "[store]") {
  StoreWorld w;
  auto s = w.open();
  const auto wrong = s.table("SELECT no_such_column FROM setting", {});
  REQUIRE_FALSE(wrong);
  CHECK_THAT(wrong.error().detail, Contains("no_such_column") && Contains(w.file.native()));
}

TEST_CASE("a backup is a whole store under its own name and never replaces a file", "[store]") {
  StoreWorld w;
  auto s = w.open();
  REQUIRE(s.set_setting("k", "v"));
  REQUIRE(s.backup_to(w.folder / "copy.db"));
  CHECK_FALSE(s.backup_to(w.folder / "copy.db"));
  w.file = w.folder / "copy.db";
  auto copy = w.open();
  CHECK(copy.setting("k").value().value() == "v");
  CHECK(copy.id() == s.id());
  CHECK(copy.verify());
}
