#include "holder/client/spec_text.h"

#include "catch.h"

using namespace berth::holder::client;

TEST_CASE("sizes are Compose's, powers of 1024, and nothing else", "[spec]") {
  CHECK(parse_size("64m") == 64 << 20);
  CHECK(parse_size("64MB") == 64 << 20);
  CHECK(parse_size("1g") == 1 << 30);
  CHECK(parse_size("4096") == 4096);
  CHECK(parse_size("12b") == 12);
  CHECK(parse_size("0k") == 0);
  for (const auto* bad : {"", "m", "64mm", " 64m", "64 m", "-1", "1.5g", "64m\n", "9223372036854775807k", "1e3", "1t",
                          "99999999999999999999"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_size(bad));
  }
}

TEST_CASE("durations are whole numbers with a unit each", "[spec]") {
  CHECK(parse_duration_ns("10s") == 10'000'000'000);
  CHECK(parse_duration_ns("1m30s") == 90'000'000'000);
  CHECK(parse_duration_ns("1h") == 3'600'000'000'000);
  CHECK(parse_duration_ns("250ms") == 250'000'000);
  CHECK(parse_duration_ns("0s") == 0);
  for (const auto* bad : {"", "10", "s", "10 s", "1.5s", "-1s", "10s ", "10d", "9999999999999h", "10s5"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_duration_ns(bad));
  }
}

TEST_CASE("a duration's text reads back as the same duration", "[spec]") {
  for (const std::int64_t ns : {0L, 1000L, 1'500'000L, 59'999'999'000L, 86'400'000'000'000L, 3'661'001'001'000L}) {
    CHECK(parse_duration_ns(duration_text(ns)) == ns);
  }
}

TEST_CASE("CPUs are decimal to the billionth", "[spec]") {
  CHECK(parse_cpus("0.5") == 500'000'000);
  CHECK(parse_cpus("2") == 2'000'000'000);
  CHECK(parse_cpus("1.000000001") == 1'000'000'001);
  for (const auto* bad : {"", ".5", "1.", "-1", "1e1", "0.0000000001", "1,5", "1.5 ", "99999999999999999999"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_cpus(bad));
  }
  for (const std::int64_t nano : {1L, 10L, 500'000'000L, 1'000'000'000L, 1'230'000'000L}) {
    CHECK(parse_cpus(cpus_text(nano)) == nano);
  }
}
