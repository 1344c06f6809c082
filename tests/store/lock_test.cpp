#include "store/lock.h"

#include "tests/support/catch.h"
#include "tests/support/fakes.h"

using namespace berth;
using store::StoreLock;

TEST_CASE("the folder of a store that is not there yet is made, and is its owner's alone") {
  test::TempFolder folder;
  REQUIRE(StoreLock::take(folder / "berth/host.db", "berth-host run", std::chrono::milliseconds{0}).ok());
  CHECK(std::filesystem::status(folder / "berth").permissions() == std::filesystem::perms::owner_all);
}

TEST_CASE("one process writes the store, and the second is told who that is") {
  test::TempFolder folder;
  {
    const auto first = StoreLock::take(folder / "host.db", "berth-host run", std::chrono::milliseconds{0});
    REQUIRE(first.ok());
    const auto second =
        StoreLock::take(folder / "host.db", "berth-host apply", std::chrono::milliseconds{100});
    REQUIRE_FALSE(second.ok());
    CHECK(second.error().code == Errc::busy);
    CHECK(second.error().detail.find("berth-host run (pid ") != std::string::npos);
  }
  CHECK(StoreLock::take(folder / "host.db", "berth-host apply", std::chrono::milliseconds{0}).ok());
}
