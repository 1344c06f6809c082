#include "holder/serve/metrics.h"

#include <fstream>

#include "base/process.h"
#include "tests/holder/verbs/bench.h"

using namespace berth;
using namespace berth::test;

namespace {

/// What Prometheus' own parser reads of a page: one sample a line, "name{label=value,…} value", or its complaint.
std::string parsed(const std::string& page) {
  TempFolder folder;
  std::ofstream{folder / "page"} << page;
  const auto script = R"(import sys
from prometheus_client.parser import text_string_to_metric_families as parse
for family in parse(open(sys.argv[1]).read()):
    assert family.documentation and family.type in ("counter", "gauge", "histogram"), family
    for s in family.samples:
        print(s.name + "{" + ",".join(f"{k}={v}" for k, v in sorted(s.labels.items())) + "} " + str(s.value))
)";
  // The distribution's own python: another one has not the distribution's parser.
  const auto ended = run_process({"/usr/bin/python3", "-c", script, (folder / "page").native()}, std::chrono::seconds{30}, no_faults());
  if (!ended) FAIL(to_text(ended.error()));
  return ended->exit_status == 0 ? ended->out : "refused: " + ended->err;
}

}  // namespace

TEST_CASE("/metrics is what Prometheus' own parser reads", "[metrics]") {
  MemoryEngine engine;
  engine.put("web", {});
  Bench bench{engine};
  static_cast<void>(bench.host("list"));
  static_cast<void>(bench.host("docker_list"));
  static_cast<void>(bench.host("inspect", {{"container", "nobody"}}));
  static_cast<void>(bench.bus("stop", {{"container", "web"}}));
  static_cast<void>(bench.host("no such \"verb\"\n\\"));
  bench.dispatcher().turned_away(holder::verbs::Face::bus);
  const auto samples = parsed(holder::serve::metrics_page(bench.dispatcher()));
  CAPTURE(samples);
  for (const auto* line : {"berth_holder_calls_total{face=socket,outcome=ok,verb=list} 2.0\n",
                           "berth_holder_calls_total{face=socket,outcome=not_found,verb=inspect} 1.0\n",
                           "berth_holder_calls_total{face=bus,outcome=not_granted,verb=stop} 1.0\n",
                           "berth_holder_calls_total{face=socket,outcome=unknown_verb,verb=unknown} 1.0\n",
                           "berth_holder_call_seconds_count{face=socket,verb=list} 2.0\n",
                           "berth_holder_call_seconds_bucket{face=socket,le=+Inf,verb=list} 2.0\n",
                           "berth_holder_turned_away_total{face=bus} 1.0\n", "berth_holder_turned_away_total{face=socket} 0.0\n",
                           "berth_holder_info{machine=alder,version=9.9.9} 1.0\n", "berth_holder_engine_up{} 1.0\n"}) {
    CHECK(samples.find(line) != std::string::npos);
  }
  CHECK(samples.find("process_resident_memory_bytes{} ") != std::string::npos);
}

TEST_CASE("the parser of this test is not one that takes anything", "[metrics]") {
  CHECK(parsed("berth_x{a=\"1} 1\n").rfind("refused", 0) == 0);
}
