#include "catch.h"
#include "tests/migrate/fake_fleet.h"

using berth::test::Died;
using berth::test::Fleet;
using Kind = berth::migrate::Outcome::Kind;

namespace {

/// Whether the run died where it was told to.
bool dies(Fleet& fleet) {
  try {
    const auto outcome = fleet.run();
    INFO((outcome ? outcome->text : outcome.error().detail));
    CHECK((outcome.ok() && outcome->kind == Kind::done));
    return false;
  } catch (const Died&) {
    return true;
  }
}

/// Two machines, one of them the broker's and one that gives records back, one at a time: each write has its
/// place.
struct Pair : Fleet {
  Pair() {
    file.document["max_parallel"] = 1;
    for (const auto* name : {"cedar", "dogwood"}) file.document["machines"].erase(name);
  }
};

std::string whole() {
  Pair fleet;
  REQUIRE(fleet.run()->kind == Kind::done);
  return fleet.portrait();
}

}  // namespace

TEST_CASE("a migration killed at any write of the store resumes to the same end", "[migrate][crash]") {
  const auto end = whole();
  int cut = 1;
  for (bool died = true; died; ++cut) {
    CAPTURE(cut);
    Pair fleet;
    { (void)fleet.open_store(); }
    fleet.seam.die_at_commit = cut;
    died = dies(fleet);
    fleet.seam.die_at_commit = 0;
    const auto outcome = fleet.run();
    INFO((outcome ? outcome->text : outcome.error().detail));
    REQUIRE((outcome.ok() && outcome->kind == Kind::done));
    REQUIRE(fleet.portrait() == end);
  }
  CHECK(cut > 40);  // it really was cut at every write, not at none
}

TEST_CASE("a migration killed before or after anything asked of a machine resumes to the same end",
          "[migrate][crash]") {
  const auto end = whole();
  const bool after = GENERATE(false, true);
  int cut = 1;
  for (bool died = true; died; ++cut) {
    CAPTURE(after, cut);
    Pair fleet;
    fleet.port.die_at_act = cut;
    fleet.port.die_after = after;
    died = dies(fleet);
    fleet.port.die_at_act = 0;
    const auto outcome = fleet.run();
    INFO((outcome ? outcome->text : outcome.error().detail));
    REQUIRE((outcome.ok() && outcome->kind == Kind::done));
    REQUIRE(fleet.portrait() == end);
  }
  CHECK(cut > 8);
}
