#include "holder/verbs/lanes.h"

#include <thread>
#include <vector>

#include "catch.h"
#include "holder/verbs/tally.h"

using namespace berth;
using namespace berth::holder::verbs;

TEST_CASE("one container never takes every place, and others are not asked to wait for it", "[lanes]") {
  Lanes lanes;
  std::vector<Lanes::Turn> turns;
  for (std::size_t i = 0; i < Lanes::kMost; ++i) {
    auto turn = lanes.enter("stuck");
    REQUIRE(turn);
    turns.push_back(std::move(turn).value());
  }
  const auto refused = lanes.enter("stuck");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::busy);
  CHECK(lanes.enter("other").ok());
  CHECK(lanes.enter("").ok());
  turns.clear();
  CHECK(lanes.enter("stuck").ok());
}

TEST_CASE("calls that have waited for a second are few, however quick the others are", "[lanes]") {
  Lanes lanes;
  std::vector<Lanes::Turn> turns;
  for (std::size_t i = 0; i < Lanes::kMostSlow; ++i) turns.push_back(std::move(lanes.enter("stuck")).value());
  CHECK(lanes.enter("stuck").ok());
  std::this_thread::sleep_for(Lanes::kSlow + std::chrono::milliseconds{50});
  CHECK_FALSE(lanes.enter("stuck").ok());
  turns.pop_back();
  CHECK(lanes.enter("stuck").ok());
}

TEST_CASE("a tally counts by face, verb and outcome, and a slow call is in no fast bucket", "[tally]") {
  Tally tally;
  tally.add(Face::bus, "stop", "ok", std::chrono::milliseconds{3}, "");
  tally.add(Face::bus, "stop", "timeout", std::chrono::seconds{21}, "it hangs");
  const auto row = tally.verbs().at({Face::bus, "stop"});
  CHECK(row.requests() == 2);
  CHECK(row.errors() == 1);
  CHECK(row.last_error == "it hangs");
  CHECK(row.buckets.front() == 0);
  CHECK(row.buckets[1] == 1);
  CHECK(row.buckets.back() == 2);
}
