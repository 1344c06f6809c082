#include "tests/holder/campaign/truth.h"

#include "catch.h"

// The judge of the campaign is judged first: it must see what is wrong.
namespace berth::test::campaign {
namespace {

using namespace std::chrono_literals;

Time second(int s) { return Time{std::chrono::seconds{1'700'000'000 + s}}; }

std::vector<Heard> heard(std::initializer_list<const char*> kinds) {
  std::vector<Heard> events;
  for (const auto* kind : kinds) {
    Heard event;
    event.kind = kind;
    events.push_back(event);
  }
  return events;
}

Heard gap(int from, int to) {
  Heard event;
  event.kind = "gap";
  event.from = second(from);
  event.to = second(to);
  return event;
}

Life life(std::vector<std::string> kinds, std::string ends_as = "") {
  return {"a", std::move(kinds), {}, std::move(ends_as), true, second(100), second(110)};
}

}  // namespace

TEST_CASE("the campaign's judge sees an event that is lost, told twice, or out of its order") {
  CHECK(broken_rule(heard({"created", "started", "died", "stopped", "started", "died", "removed"})).empty());
  CHECK(broken_rule(heard({"created", "started", "started"})) == "started twice");
  CHECK(broken_rule(heard({"created", "started", "died", "died"})) == "died after died");
  CHECK(broken_rule(heard({"created", "stopped"})) == "stopped after created");
  CHECK(broken_rule(heard({"created", "created"})) == "created after created");
  CHECK(broken_rule(heard({"started"})) == "started before created");
  CHECK(broken_rule(heard({"created", "removed", "died"})) == "died after removed");
  CHECK(broken_rule(heard({"created", "started", "removed"})) == "removed while it runs");
}

TEST_CASE("the campaign's judge compares a whole life exactly, and excuses only what a gap covers") {
  const auto whole = life({"created", "started", "died", "removed"});
  CHECK(disagreement(whole, heard({"created", "started", "died", "removed"}), {}, true).empty());
  CHECK(!disagreement(whole, heard({"created", "removed"}), {}, true).empty());
  CHECK(disagreement(whole, heard({"created", "removed"}), {gap(105, 106)}, true).empty());
  CHECK(!disagreement(whole, heard({"created", "removed"}), {gap(200, 206)}, true).empty());
  CHECK(!disagreement(whole, {}, {}, true).empty());
  CHECK(!disagreement(whole, {}, {gap(105, 106)}, true).empty());
  CHECK(disagreement(whole, {}, {gap(90, 120)}, true).empty());
  CHECK(!disagreement(whole, heard({"created"}), {gap(90, 120)}, true).empty());
  CHECK(!disagreement(life({"created", "started"}, "running"), heard({"created"}), {gap(90, 120)}, true)
             .empty());
  CHECK(!disagreement(whole, heard({"created", "started", "died", "stopped", "removed"}), {}, true).empty());
  CHECK(disagreement(whole, heard({"created", "started", "died", "stopped", "removed"}), {}, false).empty());
}

TEST_CASE("the campaign's judge sees a wrong exit code and a hole in the numbers") {
  auto coded = life({"created", "started", "died", "removed"});
  coded.exit_code = 3;
  auto events = heard({"created", "started", "died", "removed"});
  events[2].exit_code = 3;
  CHECK(disagreement(coded, events, {}, true).empty());
  events[2].exit_code = 4;
  CHECK(!disagreement(coded, events, {}, true).empty());
  for (std::size_t i = 0; i < events.size(); ++i) events[i].seq = static_cast<std::int64_t>(i) + 1;
  CHECK(broken_numbers(events).empty());
  events[2].seq = 2;
  CHECK(broken_numbers(events) == "twice: number 2");
  events[2].seq = 9;
  CHECK(broken_numbers(events) == "missing: number 3");
}

}  // namespace berth::test::campaign
