// The corpus of each fuzz target, once, without libFuzzer: what a run of scripts/fuzz has found stays mended.
#include <filesystem>
#include <stdexcept>

#include "base/file.h"
#include "catch.h"
#include "tests/fuzz/fuzz.h"

void berth::fuzz::broken(const std::string& what) { throw std::logic_error{"does not hold: " + what}; }

namespace berth::test {
namespace {

struct FuzzTarget {
  const char* name;
  void (*take)(std::string_view);
};
constexpr FuzzTarget kTargets[] = {
    {"spec", fuzz::take_spec},       {"frames", fuzz::take_frames}, {"events", fuzz::take_events},
    {"answers", fuzz::take_answers}, {"seat", fuzz::take_seat},     {"subjects", fuzz::take_subjects},
};

/// How many inputs there were.
int replay(const FuzzTarget& target) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator{std::string{BERTH_CORPUS} + "/" + target.name}) {
    CAPTURE(entry.path());
    const auto bytes = read_file(entry.path(), std::size_t{1} << 20);
    REQUIRE(bytes.ok());
    CHECK_NOTHROW(target.take(*bytes));
    // Cut short anywhere, as a connection that breaks.
    for (std::size_t size = 0; size < bytes->size(); size += 1 + bytes->size() / 16)
      CHECK_NOTHROW(target.take(std::string_view{*bytes}.substr(0, size)));
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("every input of a fuzz target's corpus, whole and cut short, is taken as it must be", "[fuzz]") {
  for (const auto& target : kTargets) {
    DYNAMIC_SECTION(target.name) { CHECK(replay(target) > 5); }
  }
}

TEST_CASE("a fuzz target's property that does not hold is seen", "[fuzz]") {
  CHECK_THROWS(fuzz::must_hold(false, "nothing"));
  CHECK_NOTHROW(fuzz::must_hold(true, "nothing"));
}

}  // namespace berth::test
