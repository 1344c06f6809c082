#include "host/serve/pace.h"

#include "catch.h"

using berth::host::serve::Pace;
using namespace std::chrono_literals;

TEST_CASE("an apply that failed is tried again soon, then at growing intervals, and one that went well as ever") {
  Pace pace{300s};
  CHECK(pace.after(true) == 300s);
  for (const auto wanted : {5s, 10s, 20s, 40s, 80s, 160s, 300s, 300s}) CHECK(pace.after(false) == wanted);
  CHECK(pace.after(true) == 300s);
  CHECK(pace.after(false) == 5s);
}

TEST_CASE("a host that applies every two seconds waits no longer than that after a failure") {
  Pace pace{2s};
  CHECK(pace.after(false) == 2s);
  CHECK(pace.after(false) == 2s);
  CHECK(pace.after(true) == 2s);
}
