// `scripts/bench migrate`: the whole migration over as many simulated machines as it is told, run by the
// program `berth` as another process. Prints one JSON object.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>

#include "catch.h"
#include "store/store.h"
#include "tests/sim/sim_fleet.h"

using namespace berth;
using namespace berth::test;

namespace {

struct Ended {
  int status = -1;
  double seconds = 0;
  long peak_kib = 0;
};

/// The most memory that a program had so far, by the kernel's own count. That of wait4 will not do: it begins with
/// what the process had before it became the program, and that was a copy of this one.
long peak_of(pid_t pid, long before) {
  std::ifstream status{"/proc/" + std::to_string(pid) + "/status"};
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::max(before, std::atol(line.c_str() + 6));
  }
  return before;
}

bool is_program(pid_t pid) {
  std::error_code gone;
  return std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", gone).filename() == "berth";
}

/// Runs the program and waits for it.
Ended run_berth(const SimFleet& fleet, const std::string& step) {
  const auto began = std::chrono::steady_clock::now();
  const pid_t pid = ::fork();
  if (pid == 0) {
    const auto store = fleet.store_file().native();
    const auto document = fleet.fleet_file().native();
    const auto log = store + ".log";
    if (std::freopen(log.c_str(), "a", stdout) == nullptr ||
        std::freopen(log.c_str(), "a", stderr) == nullptr)
      ::_exit(9);
    ::execl(BERTH_PROGRAM, "berth", "--store", store.c_str(), "--fleet", document.c_str(), "migrate", "run",
            "--yes", "--to-step", step.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  long peak = 0;
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    if (is_program(pid)) peak = peak_of(pid, peak);
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, took.count(), peak};
}

}  // namespace

TEST_CASE("bench: a migration of simulated machines", "[.bench][nats]") {
  const char* wanted = std::getenv("BERTH_BENCH_MACHINES");
  SimFleet::Shape shape;
  shape.machines = wanted == nullptr ? 10 : std::atoi(wanted);
  shape.stage_each = false;
  shape.max_parallel = 8;
  shape.with_broker = std::getenv("BERTH_BENCH_BROKER") != nullptr;
  SimFleet fleet{shape};
  Json result = {{"machines", shape.machines}, {"steps", Json::array()}};
  double seconds = 0;
  long peak = 0;
  std::int64_t before = 0;
  for (int step = 1; step <= 5; ++step) {
    const auto ended = run_berth(fleet, std::to_string(step));
    INFO(read_file(fleet.store_file().native() + ".log").value_or(""));
    REQUIRE(ended.status == 0);
    seconds += ended.seconds;
    peak = std::max(peak, ended.peak_kib);
    result["steps"].push_back({{"step", step},
                               {"seconds", ended.seconds},
                               {"messages", fleet.messages() - before},
                               {"peak_kib", ended.peak_kib}});
    before = fleet.messages();
  }
  result["seconds"] = seconds;
  result["messages"] = fleet.messages();
  result["runner_peak_mib"] = static_cast<double>(peak) / 1024;
  result["store_mib"] = static_cast<double>(std::filesystem::file_size(fleet.store_file())) / (1 << 20);
  std::cout << result.dump() << std::endl;
}
