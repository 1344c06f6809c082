// A migration is killed everywhere, and comes to the same end.
#include <array>
#include <cstdlib>
#include <iostream>
#include <random>

#include "catch.h"
#include "tests/sim/runner.h"

using namespace berth::test;

namespace {

/// The end of a run without faults, and how many places there are for one to fall at.
struct Whole {
  std::string end;
  Places places;
};
const Whole& whole() {
  static const Whole known = [] {
    SimFleet fleet{{}};
    SimRun run{fleet, {}};
    const auto said = run.to_its_end(1);
    INFO(said);
    REQUIRE(said.empty());
    return Whole{fleet.portrait(), run.places()};
  }();
  return known;
}

/// What a campaign was, in numbers.
struct Tally {
  int migrations = 0, faults = 0, fell = 0, runs = 0;
  ~Tally() {
    std::cout << migrations << " migrations, " << faults << " faults, " << fell << " of them fell, " << runs
              << " runs of the runner" << std::endl;
  }
};

void comes_to_the_same_end(Tally& tally, const std::vector<Fault>& faults) {
  std::string text;
  for (const auto& fault : faults) text += fault.text() + "; ";
  CAPTURE(text);
  SimFleet fleet{{}};
  SimRun run{fleet, faults};
  const auto said = run.to_its_end();
  CAPTURE(said);
  CHECK(said.empty());
  CHECK(fleet.portrait() == whole().end);
  ++tally.migrations;
  tally.faults += static_cast<int>(faults.size());
  tally.fell += run.fell();
  tally.runs += run.runs();
}

/// Every place a fault can fall at, one at a time.
std::vector<Fault> places_of(Fault::Kind kind) {
  const auto& places = whole().places;
  std::vector<Fault> all;
  const auto add = [&](int n, int machine) {
    for (int at = 1; at <= n; ++at) all.push_back({kind, at, machine});
  };
  if (kind == Fault::Kind::runner_write) add(places.writes, 0);
  if (kind == Fault::Kind::runner_before || kind == Fault::Kind::runner_after || kind == Fault::Kind::broker)
    add(places.messages, 0);
  for (int machine = 0; machine < 2; ++machine) {
    if (kind == Fault::Kind::host) add(places.host_acts[static_cast<std::size_t>(machine)], machine);
    if (kind == Fault::Kind::engine) add(places.engine_calls[static_cast<std::size_t>(machine)], machine);
    if (kind == Fault::Kind::holder) add(places.messages, machine);
  }
  return all;
}

constexpr std::array kKinds{Fault::Kind::runner_write, Fault::Kind::runner_before, Fault::Kind::runner_after,
                            Fault::Kind::host,         Fault::Kind::engine,        Fault::Kind::holder,
                            Fault::Kind::broker};

std::vector<Fault> random_pair(std::mt19937_64& random) {
  std::vector<Fault> pair;
  while (pair.size() < 2) {
    const auto all = places_of(kKinds[random() % kKinds.size()]);
    pair.push_back(all[random() % all.size()]);
  }
  return pair;
}

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

}  // namespace

TEST_CASE("a simulated fleet goes through all five steps, on the host's own code and a real broker",
          "[sim][nats]") {
  INFO(whole().end);
  CHECK(whole().end.find("closed") == 0);
  CHECK(whole().end.find("5 m0001 done") != std::string::npos);
  CHECK(whole().end.find("m0000 runs 1.2.0, seat true") != std::string::npos);
  CHECK(whole().places.writes > 40);
  CHECK(whole().places.host_acts[1] > 60);
}

TEST_CASE("a probe whose removal nobody lived to see goes with the next one", "[sim][nats]") {
  SimFleet fleet{{}};
  berth::host::path::Seen left;
  left.id = "left";
  left.name = "berth-probe-0123abcd";
  left.image = "berth-practice:1";
  left.state = "created";
  fleet.machines()[0]->engine->containers.push_back(left);
  SimRun run{fleet, {}};
  CHECK(run.to_its_end(1).empty());
  CHECK(fleet.portrait() == whole().end);
}

TEST_CASE("killed at a few places of each kind, a migration comes to the same end", "[sim][nats][crash]") {
  Tally tally;
  std::mt19937_64 random{number_from("BERTH_SIM_SEED", 5)};
  for (const auto kind : kKinds) {
    const auto all = places_of(kind);
    REQUIRE_FALSE(all.empty());
    comes_to_the_same_end(tally, {all[random() % all.size()]});
  }
  for (int i = 0; i < 2; ++i) comes_to_the_same_end(tally, random_pair(random));
  CHECK(tally.fell >= 7);  // of a pair the second may find nothing to fall on
}

TEST_CASE("killed at every write, act, call and message, one at a time, a migration comes to the same end",
          "[sim][nats][crash][.slow]") {
  Tally tally;
  // One kind alone may be asked for, and of it one place.
  const auto only = number_from("BERTH_SIM_KIND", kKinds.size());
  const auto at = number_from("BERTH_SIM_AT", 0);
  for (const auto kind : kKinds) {
    if (only < kKinds.size() && kind != kKinds[only]) continue;
    for (const auto& fault : places_of(kind)) {
      if (at == 0 || fault.at == static_cast<int>(at)) comes_to_the_same_end(tally, {fault});
    }
  }
  CHECK(tally.fell >= tally.faults * 9 / 10);
}

TEST_CASE("killed at random pairs of places, a migration comes to the same end",
          "[sim][nats][crash][.slow]") {
  const auto seed = number_from("BERTH_SIM_SEED", 1);
  CAPTURE(seed);
  std::mt19937_64 random{seed};
  Tally tally;
  const auto pairs = number_from("BERTH_SIM_PAIRS", 200);
  for (std::uint64_t i = 0; i < pairs; ++i) comes_to_the_same_end(tally, random_pair(random));
}
