// The operator's store of a simulated fleet is lost, and the program makes it anew: the hosts' own code
// answers, over a real broker.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "catch.h"
#include "tests/host/apply/world.h"
#include "tests/sim/runner.h"

using namespace berth::test;

namespace {

struct Said {
  int status = -1;
  std::string out;
};

/// The program `berth`, whose answer goes to a file.
Said program(const SimFleet& fleet, const std::vector<std::string>& words, const std::string& dies_at = "") {
  const auto out = fleet.store_file().native() + ".out";
  std::cout.flush();
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (std::freopen(out.c_str(), "w", stdout) == nullptr ||
        std::freopen(out.c_str(), "a", stderr) == nullptr)
      ::_exit(9);
    if (!dies_at.empty()) ::setenv("BERTH_DIE_AT", dies_at.c_str(), 1);
    const auto store = fleet.store_file().native();
    const auto document = fleet.fleet_file().native();
    std::vector<const char*> arguments{"berth", "--store", store.c_str(), "--fleet", document.c_str()};
    for (const auto& word : words) arguments.push_back(word.c_str());
    arguments.push_back(nullptr);
    ::execv(BERTH_PROGRAM, const_cast<char* const*>(arguments.data()));
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          berth::read_file(out).value_or("")};
}

void lose(const SimFleet& fleet) {
  for (const auto* tail : {"", "-wal", "-shm"}) std::filesystem::remove(fleet.store_file().native() + tail);
}

void migrates(const SimFleet& fleet, const std::string& to_step) {
  const auto said = program(fleet, {"migrate", "run", "--yes", "--to-step", to_step});
  INFO(said.out);
  REQUIRE(said.status == 0);
}

}  // namespace

TEST_CASE(
    "the program rebuilds a lost store from the hosts themselves, and the migration goes on to the same end",
    "[sim][nats][rebuild]") {
  SimFleet fleet{{}};
  const auto file = fleet.machines()[1]->root + kFile;
  const auto found = berth::read_file(file).value();
  for (const auto* step : {"2", "3", "4", "5"}) {
    CAPTURE(step);
    migrates(fleet, step);
    fleet.settle();
    const auto portrait = fleet.portrait();
    lose(fleet);
    const auto rebuilt = program(fleet, {"store", "rebuild"});
    INFO(rebuilt.out);
    REQUIRE(rebuilt.status == 0);
    CHECK(fleet.portrait() == portrait);
    CHECK(rebuilt.out.find("broker's permissions") ==
          std::string::npos);  // what it renders is what the broker has
    const auto status = program(fleet, {"migrate", "status"});
    CHECK(status.out.find("this store was made anew at ") != std::string::npos);
    CHECK(program(fleet, {"--output", "json", "audit", "migration_proofs"}).out.find("\"restarted\\\":[]") !=
          std::string::npos);
    CHECK(program(fleet, {"store", "verify"}).status == 0);
  }
  // Undone from the rebuilt store, the files are what hands left.
  for (const auto* step : {"5", "4", "3", "2"}) {
    CAPTURE(step);
    const auto back = program(fleet, {"migrate", "back-out", "--yes", "--step", step});
    INFO(back.out);
    REQUIRE(back.status == 0);
  }
  fleet.settle();
  CHECK(berth::read_file(file).value() == found);
}

TEST_CASE(
    "a simulated machine that is off is named and nothing is made; without it the rest is, and a store "
    "made anew has it",
    "[sim][nats][rebuild]") {
  SimFleet fleet{{}};
  migrates(fleet, "4");
  lose(fleet);
  auto& off = *fleet.machines()[1];
  off.host_stops();
  const auto refused = program(fleet, {"store", "rebuild"});
  INFO(refused.out);
  CHECK(refused.status == 4);
  CHECK(refused.out.find("  m0001: ") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(fleet.store_file()));
  const auto rebuilt = program(fleet, {"store", "rebuild", "--set-aside", "m0001"});
  INFO(rebuilt.out);
  REQUIRE(rebuilt.status == 0);
  off.host_starts();
  fleet.settle();
  CHECK(program(fleet, {"migrate", "run", "--yes"}).status == 3);  // step 5 waits for it
  REQUIRE(program(fleet, {"migrate", "bring-in", "--machine", "m0001"}).status == 0);
  const auto twice = program(fleet, {"migrate", "run", "--yes"});
  CHECK(twice.status == 3);
  CHECK(twice.out.find("m0001 was handed over before (push ") != std::string::npos);
  lose(fleet);
  REQUIRE(program(fleet, {"store", "rebuild"}).status == 0);
  const auto run = program(fleet, {"migrate", "run", "--yes"});
  INFO(run.out);
  REQUIRE(run.status == 0);
  fleet.settle();
  CHECK(fleet.portrait().find("5 m0001 done") != std::string::npos);
}

TEST_CASE("the program killed in a rebuild leaves no store, and the next one makes it",
          "[sim][nats][rebuild][crash]") {
  SimFleet fleet{{}};
  migrates(fleet, "3");
  const auto portrait = fleet.portrait();
  for (const auto* act :
       {"store.make", "store.open", "store.commit", "store.commit:7", "store.name", "store.name:2"}) {
    CAPTURE(act);
    lose(fleet);
    CHECK(program(fleet, {"store", "rebuild"}, act).status != 0);
    CHECK_FALSE(std::filesystem::exists(fleet.store_file()));
    const auto again = program(fleet, {"store", "rebuild"});
    INFO(again.out);
    REQUIRE(again.status == 0);
    CHECK(fleet.portrait() == portrait);
  }
}
