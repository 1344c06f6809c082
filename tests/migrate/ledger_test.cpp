#include "migrate/ledger.h"

#include "catch.h"
#include "migrate/lock.h"
#include "tests/migrate/fake_fleet.h"

using berth::test::Fleet;
using Kind = berth::migrate::Outcome::Kind;

namespace {

std::string complaint(const berth::Status& status) { return status ? "" : status.error().detail; }
bool says(const berth::Status& status, const std::string& what) {
  INFO(complaint(status));
  return complaint(status).find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("the schema itself refuses a step out of order, a changed proof and a jump", "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(1)->kind == Kind::done);
  auto store = fleet.open_store();
  berth::migrate::Ledger ledger{store, berth::migrate::newest_migration(store, "mesh").value()->id};
  CHECK(says(ledger.start(3, "alder", "p", "{}"),
             "the step before is not done on every machine that is not set aside"));
  CHECK(says(ledger.done(2, "alder", "{}"), "a step run moves"));
  CHECK(says(ledger.done(1, "alder", R"({"another": "proof"})"), "the proof of a done step never changes"));
  REQUIRE(ledger.start(2, "alder", "p", "{}").ok());
  REQUIRE(ledger.done(2, "alder", "{}").ok());
  CHECK(says(ledger.backed_out(3, "alder"), "a step run moves"));
  CHECK(says(ledger.start(3, "alder", "q", "{}"), "the step before is not done"));
}

TEST_CASE("two migrations are never open on one machine", "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(1)->kind == Kind::done);
  auto store = fleet.open_store();
  const auto second = berth::migrate::Ledger::begin(store, fleet.document(), {"other@desk", 9, "1.0.0"});
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().detail.find("this machine has an open migration already") != std::string::npos);
}

TEST_CASE("the runner's lock goes with whoever holds it", "[migrate]") {
  Fleet fleet;
  const auto file = berth::migrate::lock_path(fleet.store_path());
  {
    const auto first = berth::migrate::RunnerLock::take(file, "a@desk");
    REQUIRE(first.ok());
    CHECK(berth::migrate::RunnerLock::take(file, "b@desk").error().detail.find("a@desk") !=
          std::string::npos);
  }
  CHECK(berth::migrate::RunnerLock::take(file, "b@desk").ok());
}
