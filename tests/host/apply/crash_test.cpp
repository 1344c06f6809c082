#include "tests/host/apply/world.h"

using namespace berth;
using namespace berth::test;

namespace {

/// Carries a push out with the process dying at its n-th act, and lets the next process go on. False when it
/// never came that far.
bool dies_at(Birch& birch, const Json& body, int n) {
  birch.host();
  birch.room.seam.acts.clear();
  birch.room.seam.die_at = n;
  bool died = false;
  try {
    if (birch.host().applier.take(body)) static_cast<void>(birch.host().applier.work());
  } catch (const CutSeam::Died&) {
    died = true;
  }
  birch.die();
  must(birch.host().applier.start());
  return died;
}

std::string state(Birch& birch) {
  return birch.room.root.tree() + birch.records() + birch.room.units.unit("docker.service").active;
}

}  // namespace

TEST_CASE(
    "a host that dies at any act of a hand_over finishes it or leaves all as it was, and forgets no found "
    "state",
    "[crash]") {
  Birch whole;
  seed(whole);
  const auto untouched = state(whole);
  const auto bytes_before = whole.file();
  const auto records_before = whole.records();
  whole.carry_out(hand_over(whole));
  const auto handed_over = state(whole);
  int cut = 1;
  int finished = 0;
  for (;; ++cut) {
    CAPTURE(cut);
    REQUIRE(cut < 500);
    Birch birch;
    seed(birch);
    const bool died = dies_at(birch, hand_over(birch), cut);
    const auto now = state(birch);
    const bool known = birch.state_of("p2") != "unknown";
    CHECK(now == (known ? handed_over : untouched));
    finished += now == handed_over ? 1 : 0;
    // Whatever happened, the way back leads to the first bytes.
    if (known)
      birch.carry_out(birch.push(
          "back_out", Json::array(),
          {{"restores", "p2"}, {"give_back", {"docker.package", "docker.daemon", "docker.runtime"}}}));
    CHECK(birch.file() == bytes_before);
    CHECK(birch.records() == records_before);
    if (!died) break;
  }
  CHECK(finished > 10);
}

TEST_CASE("a host that dies at any act of a back-out finishes it", "[crash]") {
  int cut = 1;
  for (;; ++cut) {
    CAPTURE(cut);
    REQUIRE(cut < 500);
    Birch birch;
    seed(birch);
    const auto untouched = state(birch);
    birch.carry_out(hand_over(birch));
    const auto handed_over = state(birch);
    const auto body = birch.push(
        "back_out", Json::array(),
        {{"restores", "p2"}, {"give_back", {"docker.package", "docker.daemon", "docker.runtime"}}});
    const bool died = dies_at(birch, body, cut);
    CHECK(state(birch) == (birch.state_of("p3") == "unknown" ? handed_over : untouched));
    if (!died) break;
  }
  CHECK(cut > 10);
}

TEST_CASE("a host that dies at any act while giving a failed hand_over back goes on giving back", "[crash]") {
  int cut = 1;
  for (;; ++cut) {
    CAPTURE(cut);
    REQUIRE(cut < 500);
    Birch birch;
    seed(birch);
    const auto untouched = state(birch);
    auto body = hand_over(birch);
    body["declaration"]["modules"][0]["resources"].push_back(
        {{"id", "tool"}, {"type", "package"}, {"name", "missing"}});
    const bool died = dies_at(birch, body, cut);
    CHECK(state(birch) == untouched);
    if (!died) break;
  }
  CHECK(cut > 10);
}

TEST_CASE("a host that is killed twice by the same hand_over gives it back instead of trying for ever",
          "[crash]") {
  Birch birch;
  seed(birch);
  const auto untouched = state(birch);
  const auto body = hand_over(birch);
  must(birch.host().applier.take(body));
  for (int i = 0; i < 2; ++i) {
    birch.room.seam.acts.clear();
    birch.room.seam.die_at = 12;  // past the store's own first acts, in the hand_over
    CHECK_THROWS_AS(birch.host().applier.start(), CutSeam::Died);
    birch.die();
  }
  must(birch.host().applier.start());
  CHECK(birch.state_of("p2") == "failed");
  CHECK(state(birch) == untouched);
}

TEST_CASE("a reload missed by a death is still made by the next host", "[crash]") {
  const Json module = {
      {"name", "net"},
      {"assignment", "net"},
      {"claims", Json::array()},
      {"resources",
       {{{"id", "conf"}, {"type", "file"}, {"path", "/etc/net.conf"}, {"mode", "0644"}, {"content", "1"}},
        {{"id", "run"},
         {"type", "service"},
         {"unit", "net.service"},
         {"running", true},
         {"enabled", true},
         {"on_change", {{"of", {"conf"}}, {"do", "restart"}}}}}}};
  int cut = 1;
  for (;; ++cut) {
    CAPTURE(cut);
    REQUIRE(cut < 200);
    Birch birch;
    birch.room.units.add("net.service", "active", "enabled");
    const auto body = birch.push("apply", {module});
    const bool died = dies_at(birch, body, cut);
    if (birch.state_of("p1") != "unknown") {
      CHECK(birch.room.root.read("/etc/net.conf") == "1");
      CHECK(std::ranges::count(birch.room.units.acts, "restart net.service") >= 1);
    }
    if (!died) break;
  }
}
