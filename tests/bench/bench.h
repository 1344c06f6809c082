#pragma once
#include "tests/bench/rig.h"
#include "tests/bench/samples.h"

namespace berth::bench {

// Each prints its table, and answers how many goals were missed.
int bench_verbs(const Rig& rig);
int bench_events(const Rig& rig);
int bench_process(const Rig& rig);
/// 64 callers at once on the bus for so long: nothing but answers and `busy`.
int bench_load(const Rig& rig, std::chrono::seconds duration);

}  // namespace berth::bench
