#pragma once
#include <atomic>
#include <functional>
#include <string>

#include "tests/sim/sim_fleet.h"

namespace berth::test {

/// Where a fault falls: the n-th of its kind since the run began.
struct Fault {
  enum class Kind { runner_write, runner_before, runner_after, host, engine, holder, broker };
  Kind kind = Kind::runner_write;
  int at = 0;
  int machine = 0;  // host, engine, holder
  std::string text() const;
};

/// How many places there were to fall at, in a run without faults.
struct Places {
  int writes = 0, messages = 0;
  std::vector<int> host_acts, engine_calls;
};

/// A runner over a simulated fleet: one migration from its beginning to its end, with faults on the way. A
/// runner that died, or ended because something else had, is run again as an operator would; nothing else is
/// done.
class SimRun {
 public:
  SimRun(SimFleet& fleet, std::vector<Fault> faults) : fleet_(fleet), faults_(std::move(faults)) {}
  /// Empty when it came to its end, else what the last of `runs` runs had to say.
  std::string to_its_end(int runs = 8);
  const Places& places() const { return places_; }
  int runs() const { return runs_; }
  int fell() const { return fell_; }  // how many of the faults came to pass

 private:
  std::string once();
  SimFleet& fleet_;
  std::vector<Fault> faults_;
  Places places_;
  int runs_ = 0;
  std::atomic<int> fell_ = 0;
};

}  // namespace berth::test
