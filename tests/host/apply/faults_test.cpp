// Every act of an apply goes wrong, one after the other and in every way: the process dies there, the disk is
// full, a device fails, a right is missing. After each the next start finishes or gives back, and what was found
// is never lost.
#include <cerrno>

#include "tests/host/apply/grove.h"

using namespace berth;
using namespace berth::test;

namespace {

struct Fault {
  std::string name;
  int error;  // 0: the process dies
};
const std::vector<Fault> kFaults = {{"dies", 0}, {"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EACCES", EACCES}};

/// Takes and carries out a push with the n-th act going wrong, and lets the next process go on. False when the
/// run has fewer acts.
bool goes_wrong(Grove& grove, const Json& body, const Fault& fault, int n) {
  auto& seam = grove.birch.room.seam;
  grove.birch.host();
  seam.acts.clear();
  (fault.error == 0 ? seam.die_at : seam.fail_at) = n;
  seam.with_errno = fault.error;
  try {
    if (grove.birch.host().applier.take(body)) static_cast<void>(grove.birch.host().applier.work());
  } catch (const CutSeam::Died&) {
  }
  const bool sprung = static_cast<int>(seam.acts.size()) >= n;
  grove.birch.die();
  must(grove.birch.host().applier.start());
  must(grove.birch.host().applier.again());
  return sprung;
}

void sweep(const Fault& fault, int step) {
  Grove whole;
  const auto untouched = whole.machine();
  whole.birch.carry_out(whole.apply());
  const auto applied = whole.machine();
  const auto found = whole.found();
  REQUIRE(found.find("intended") == std::string::npos);
  REQUIRE(applied != untouched);
  int n = 1;
  for (;; n += step) {
    CAPTURE(fault.name, n);
    REQUIRE(n < 1000);
    Grove grove;
    const auto body = grove.apply();
    const bool sprung = goes_wrong(grove, body, fault, n);
    // One that was never taken can be sent again; one that was is carried out by itself.
    if (grove.birch.state_of("p1") == "unknown") {
      REQUIRE(grove.machine() == untouched);
      grove.birch.carry_out(body);
    }
    REQUIRE(grove.machine() == applied);
    REQUIRE(grove.found() == found);
    // What was found is still known: all of it goes back, whatever went wrong on the way there too.
    const auto back = grove.give_back();
    goes_wrong(grove, back, fault, n);
    if (grove.birch.state_of("p2") == "unknown") grove.birch.carry_out(back);
    REQUIRE(grove.machine() == untouched);
    REQUIRE(grove.found().empty());
    if (!sprung) break;
  }
  CHECK(n > 40);
}

}  // namespace

TEST_CASE("an apply in which an act goes wrong ends as one in which none did, and all of it can be given back",
          "[faults]") {
  const auto fault = GENERATE(from_range(kFaults));
  sweep(fault, 9);
}

TEST_CASE("an apply in which any act goes wrong, each of them, ends as one in which none did", "[.slow][faults]") {
  const auto fault = GENERATE(from_range(kFaults));
  sweep(fault, 1);
}

namespace {

std::string machine_of(Birch& birch) {
  return birch.room.root.tree() + birch.records() + birch.room.units.unit("docker.service").active;
}

/// All of a hand_over or nothing of it, and from either the way leads back to the first bytes.
void sweep_hand_over(const Fault& fault, int step) {
  Birch whole;
  seed(whole);
  const auto untouched = machine_of(whole);
  whole.carry_out(hand_over(whole));
  const auto handed_over = machine_of(whole);
  int finished = 0;
  for (int n = 1;; n += step) {
    CAPTURE(fault.name, n);
    REQUIRE(n < 1000);
    Birch birch;
    seed(birch);
    birch.room.seam.acts.clear();
    (fault.error == 0 ? birch.room.seam.die_at : birch.room.seam.fail_at) = n;
    birch.room.seam.with_errno = fault.error;
    const auto body = hand_over(birch);
    try {
      if (birch.host().applier.take(body)) static_cast<void>(birch.host().applier.work());
    } catch (const CutSeam::Died&) {
    }
    const bool sprung = static_cast<int>(birch.room.seam.acts.size()) >= n;
    birch.die();
    must(birch.host().applier.start());
    const bool done = birch.state_of("p2") == "applied";
    REQUIRE(machine_of(birch) == (done ? handed_over : untouched));
    finished += done ? 1 : 0;
    if (!sprung) break;
  }
  CHECK(finished > 0);
}

}  // namespace

TEST_CASE("a hand_over in which an act goes wrong is there whole or not at all", "[faults]") {
  const auto fault = GENERATE(from_range(kFaults));
  sweep_hand_over(fault, 7);
}

TEST_CASE("a hand_over in which any act goes wrong, each of them, is there whole or not at all", "[.slow][faults]") {
  const auto fault = GENERATE(from_range(kFaults));
  sweep_hand_over(fault, 1);
}
