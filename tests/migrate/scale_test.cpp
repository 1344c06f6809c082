#include "migrate/report/scale.h"

#include <ostream>

#include "base/clock.h"
#include "catch.h"

using berth::parse_rfc3339;
using berth::Time;
using berth::migrate::report_detail::Scale;
using namespace std::chrono_literals;

namespace {
/// As near as a chart can show.
struct Near {
  double value;
  friend bool operator==(double a, const Near& b) { return a > b.value - 0.01 && a < b.value + 0.01; }
  friend std::ostream& operator<<(std::ostream& out, const Near& n) { return out << n.value; }
};
const Time kStart = parse_rfc3339("2026-01-02T03:04:05Z").value();
}

TEST_CASE("time runs evenly while something happens", "[migrate][report]") {
  const Scale scale{{{kStart, kStart + 10s}, {kStart + 5s, kStart + 20s}}, 100, 200};
  CHECK(scale.cuts().empty());
  CHECK(scale.x(kStart) == Near{100});
  CHECK(scale.x(kStart + 10s) == Near{200});
  CHECK(scale.x(kStart + 20s) == Near{300});
}

TEST_CASE("a night between two runs is cut out, and the work on either side keeps its room", "[migrate][report]") {
  const Scale scale{{{kStart, kStart + 10s}, {kStart + 9h, kStart + 9h + 10s}}, 0, 226};
  REQUIRE(scale.cuts().size() == 1);
  CHECK(scale.cuts()[0].length == 9h - 10s);
  CHECK(scale.x(kStart + 10s) == Near{100});
  CHECK(scale.x(kStart + 9h) == Near{126});
  CHECK(scale.x(kStart + 9h + 10s) == Near{226});
  CHECK(scale.x(kStart + 4h) == Near{100});  // in the cut: at its edge
}

TEST_CASE("very many pauses leave half of the width to the work, and instants alone are no error", "[migrate][report]") {
  std::vector<berth::migrate::report_detail::Span> spans;
  for (int i = 0; i < 100; ++i) spans.push_back({kStart + i * 1h, kStart + i * 1h + 1s});
  const Scale scale{spans, 0, 800};
  double cut = 0;
  for (const auto& c : scale.cuts()) cut += c.width;
  CHECK(cut == Near{400});
  CHECK(scale.x(kStart + 99h + 1s) == Near{800});
  const Scale instant{{{kStart, kStart}}, 5, 100};
  CHECK(instant.x(kStart) == Near{5});
  CHECK(Scale({}, 0, 10).empty());
}
