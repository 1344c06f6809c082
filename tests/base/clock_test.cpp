#include "base/clock.h"

#include "catch.h"

using namespace berth;

namespace {

std::string again(std::string_view text) {
  const auto time = parse_rfc3339(text);
  return time ? to_rfc3339(*time) : "refused";
}

}  // namespace

TEST_CASE("a stamp of any offset and precision becomes UTC with nine digits", "[base]") {
  CHECK(again("2026-11-29T19:30:33Z") == "2026-11-29T19:30:33.000000000Z");
  CHECK(again("2026-11-29t19:30:33.1z") == "2026-11-29T19:30:33.100000000Z");
  CHECK(again("2026-11-29T19:30:33.123456789Z") == "2026-11-29T19:30:33.123456789Z");
  CHECK(again("2026-11-29T19:30:33.1234567899Z") == "2026-11-29T19:30:33.123456789Z");
  CHECK(again("2026-11-29T00:30:00+02:00") == "2026-11-28T22:30:00.000000000Z");
  CHECK(again("2026-12-31T23:30:00-01:45") == "2027-01-01T01:15:00.000000000Z");
  CHECK(again("2024-02-29T00:00:00Z") == "2024-02-29T00:00:00.000000000Z");
  CHECK(again("1969-12-31T23:59:59.5Z") == "1969-12-31T23:59:59.500000000Z");
  CHECK(again("2016-12-31T23:59:60Z") == "2017-01-01T00:00:00.000000000Z");  // a leap second
  CHECK(again("1678-01-01T00:00:00Z") == "1678-01-01T00:00:00.000000000Z");
  CHECK(again("2261-12-31T23:59:59.999999999Z") == "2261-12-31T23:59:59.999999999Z");
}

TEST_CASE("what is no RFC 3339 time is refused, the engine's zero time too", "[base]") {
  for (const char* text :
       {"", "now", "2026-11-29", "2026-11-29T19:30:33", "2026-11-29T19:30Z", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
        "2026-11-31T00:00:00Z", "2026-11-29T24:00:00Z", "2026-11-29T19:60:00Z", "2026-11-29T19:30:61Z", "2026-11-29T19:30:33.Z",
        "2026-11-29T19:30:33Zz", " 2026-11-29T19:30:33Z", "2026-11-29T19:30:33+0200", "2026-11-29T19:30:33+24:00",
        "-026-11-29T19:30:33Z", "2026-+1-29T19:30:33Z", "2026-11-29T-1:30:33Z", "0001-01-01T00:00:00Z", "9999-01-01T00:00:00Z"}) {
    CAPTURE(text);
    CHECK(again(text) == "refused");
  }
}

TEST_CASE("text order of stamps is time order", "[base]") {
  const auto early = parse_rfc3339("2026-01-01T00:00:00.9Z").value();
  CHECK(to_rfc3339(early) < to_rfc3339(early + std::chrono::nanoseconds{1}));
  CHECK(to_rfc3339(early) < to_rfc3339(early + std::chrono::milliseconds{100}));
}

TEST_CASE("the system's clock is of this age", "[base]") {
  CHECK(to_rfc3339(system_clock().now()) > "2024-01-01");
}
