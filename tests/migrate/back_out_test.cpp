#include "base/json.h"
#include "catch.h"
#include "tests/migrate/fake_fleet.h"

using berth::Errc;
using berth::test::Fleet;
using Kind = berth::migrate::Outcome::Kind;

TEST_CASE("backing step 2 out gives every byte and every record back, and the migration can go on from there",
          "[migrate]") {
  Fleet fleet;
  const auto file = fleet.at("birch").file_text;
  const auto records = fleet.at("birch").records();
  REQUIRE(fleet.run(2)->kind == Kind::done);
  REQUIRE(fleet.at("birch").file_text != file);
  const auto outcome = fleet.back_out(2, "birch");
  INFO((outcome ? outcome->text : outcome.error().detail));
  REQUIRE(outcome.ok());
  CHECK(outcome->kind == Kind::done);
  CHECK(fleet.at("birch").file_text == file);
  CHECK(fleet.at("birch").records() == records);
  CHECK(fleet.ledger().find("2 birch backed_out") != std::string::npos);
  CHECK(fleet.run()->kind == Kind::done);
}

TEST_CASE("only a machine's highest done step can be backed out", "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(3)->kind == Kind::done);
  const auto refused = fleet.back_out(2, "birch");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().detail == "step 3 of birch is done: back it out first");
  CHECK(fleet.back_out(4, "birch").error().detail ==
        "step 4 of birch is pending: only a done step can be backed out");
}

TEST_CASE("steps are backed out from the fifth to the first", "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run()->kind == Kind::done);
  for (int step = 5; step >= 1; --step) {
    CAPTURE(step);
    const auto outcome = fleet.back_out(step, "cedar");
    INFO((outcome ? outcome->text : outcome.error().detail));
    REQUIRE(outcome.ok());
    REQUIRE(outcome->kind == Kind::done);
  }
  CHECK(fleet.at("cedar").version() == "1.0.0");
  CHECK_FALSE(fleet.at("cedar").seat_held());
  CHECK(fleet.run()->kind == Kind::done);
}

TEST_CASE("a step that another machine's next one rests on is not backed out while that is under way, and nothing is asked",
          "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(2)->kind == Kind::done);
  const auto portrait = fleet.at("birch").portrait();
  {
    auto store = fleet.open_store();
    constexpr std::string_view kBegun = "UPDATE step_run SET state = 'running' WHERE step = 3 AND machine = 'alder'";
    REQUIRE(store.run(berth::store::Query<void()>{kBegun}).ok());
  }
  const auto refused = fleet.back_out(2, "birch");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().detail ==
        "step 3 is under way on alder: end it with a run, or set that machine aside, before birch goes back");
  CHECK(fleet.at("birch").portrait() == portrait);
  {
    auto store = fleet.open_store();
    REQUIRE(berth::migrate::set_aside(fleet.document(), "alder", "it hangs", store).ok());
  }
  CHECK(fleet.back_out(2, "birch")->kind == Kind::done);
}
