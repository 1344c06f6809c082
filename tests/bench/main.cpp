#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/bench/bench.h"

int main(int argc, char** argv) {
  using namespace berth::bench;
  const std::string what = argc > 1 ? argv[1] : "";
  const auto rig = Rig::from_environment();
  have_image(rig);
  int missed = -1;
  if (what == "verbs") missed = bench_verbs(rig);
  if (what == "events") missed = bench_events(rig);
  if (what == "process") missed = bench_process(rig);
  if (what == "load") missed = bench_load(rig, std::chrono::seconds{argc > 2 ? std::atoi(argv[2]) : 60});
  if (missed < 0) {
    std::fprintf(stderr, "usage: berth-bench verbs|events|process|load [SECONDS]\n");
    return 2;
  }
  std::printf("%d goals missed\n", missed);
  return 0;
}
