#include "host/serve/parts_desk.h"

#include "base/json.h"
#include "catch.h"

using namespace berth;
using host::serve::PartsDesk;

namespace {

std::vector<Part> parts_of(const std::string& name, std::size_t bytes) {
  return split(std::string(bytes, 'x'), name, std::size_t{1} << 20).value();
}

Json more(const Part& first, std::int64_t number) {
  return {{"what", "part"}, {"whole", first.whole}, {"part", number}};
}

}  // namespace

TEST_CASE("a question in parts is there with its last part, and not before", "[host][parts]") {
  PartsDesk desk;
  const auto parts = parts_of("q", std::size_t{3} << 20);
  REQUIRE(parts.size() == 4);
  for (const auto& part : parts) {
    const auto taken = desk.take(part.document()).value();
    CHECK(taken.question.has_value() == part.is_last());
    if (part.is_last()) CHECK(taken.question->size() == std::size_t{3} << 20);
  }
  CHECK(desk.take(parts[1].document()).error().field == "part");  // over, and nothing of it is kept
  CHECK_FALSE(desk.take(parts[0].document()).value().question.has_value());
}

TEST_CASE("of questions begun the oldest is forgotten, and told so at its next part", "[host][parts]") {
  PartsDesk desk;
  std::vector<std::vector<Part>> all;
  for (std::size_t i = 0; i <= PartsDesk::kMostOpen; ++i) {
    all.push_back(parts_of("q" + std::to_string(i), std::size_t{2} << 20));
    REQUIRE(desk.take(all.back()[0].document()).ok());
  }
  CHECK(desk.take(all[0][1].document()).error().code == Errc::conflict);
  CHECK(desk.take(all[2][1].document()).value().have > all[2][1].at);
}

TEST_CASE("two questions of the largest size leave no room for a third", "[host][parts]") {
  PartsDesk desk;
  const auto a = parts_of("a", kMostWhole), b = parts_of("b", kMostWhole), c = parts_of("c", kMostWhole);
  for (const auto* parts : {&a, &b, &c}) REQUIRE(desk.take((*parts)[0].document()).ok());
  CHECK(desk.take(a[1].document()).error().code == Errc::conflict);
  CHECK(desk.take(b[1].document()).ok());
}

TEST_CASE("an answer in parts is given part by part and then forgotten", "[host][parts]") {
  PartsDesk desk;
  const std::string answer(std::size_t{2} << 20, 'a');
  const auto first = Part::parse(desk.keep(answer, 1 << 20).value()).value();
  Joining joining{first};
  REQUIRE(joining.take(first).ok());
  for (std::size_t i = 2; i <= first.parts; ++i)
    REQUIRE(
        joining.take(Part::parse(desk.give(more(first, static_cast<std::int64_t>(i))).value()).value()).ok());
  CHECK(std::move(joining).document().value() == answer);
  CHECK(desk.give(more(first, 2)).error().code == Errc::not_found);
  const auto again = Part::parse(desk.keep(answer, 1 << 20).value()).value();
  CHECK(desk.give(more(again, 99)).error().field == "part");
  for (std::size_t i = 0; i < PartsDesk::kMostOpen; ++i) REQUIRE(desk.keep(answer, 1 << 20).ok());
  CHECK(desk.give(more(again, 2)).error().code == Errc::not_found);
}
