#include <future>

#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "holder/boxes/conformance/kubernetes_world.h"
#include "tests/holder/boxes/boxes_world.h"

// Every rule of the box runtime on the real ones. Each is a row of holder/boxes/conformance.
namespace berth::test {
namespace {

namespace conformance = holder::boxes::conformance;
using conformance::EngineWorld;

std::vector<conformance::Row> rows_on(conformance::World& world) {
  conformance::Bench bench{world};
  std::vector<conformance::Row> rows;
  for (const auto& rule : conformance::rules()) rows.push_back(conformance::try_rule(rule, bench));
  const auto cleared = bench.clear();
  if (!cleared)
    rows.push_back(
        {conformance::Row::Outcome::failed, {"cleared", "", nullptr}, to_text(cleared.error()), {}});
  return rows;
}

void all_hold_in(const std::string& name, const std::vector<conformance::Row>& rows) {
  for (const auto& row : rows) {
    INFO(name << ": " << conformance::row_line(row));
    CHECK(row.outcome != conformance::Row::Outcome::failed);
    if (row.outcome == conformance::Row::Outcome::skipped) WARN("SKIPPED: " << conformance::row_line(row));
  }
}

}  // namespace

// Both at the same time: most of it is waiting for engines.
TEST_CASE("every rule of the box runtime holds on Docker and on Podman", "[boxes][docker][podman]") {
  ScriptedSeam seam;
  std::vector<std::unique_ptr<EngineWorld>> worlds;
  std::vector<std::future<std::vector<conformance::Row>>> results;
  for (const auto* part : {"BERTH_TEST_DOCKER", "BERTH_TEST_PODMAN"}) {
    std::string socket;
    if (!part_present(part, socket)) continue;
    worlds.push_back(engine_world(socket, seam));
  }
  for (const auto& world : worlds)
    results.push_back(std::async(std::launch::async, [&world] { return rows_on(*world); }));
  for (std::size_t i = 0; i < results.size(); ++i) all_hold_in(worlds[i]->name(), results[i].get());
}

// scripts/test --all makes the cluster; BERTH_TEST_KUBECONFIG names any other.
TEST_CASE("every rule of the box runtime holds on Kubernetes", "[boxes][.kubernetes]") {
  std::string kubeconfig;
  if (!part_present("BERTH_TEST_KUBECONFIG", kubeconfig)) return;
  ScriptedSeam seam;
  conformance::KubernetesWorld::Options options;
  options.kubeconfig = kubeconfig;
  all_hold_in("kubernetes", rows_on(*have(conformance::KubernetesWorld::open(options, seam))));
}

TEST_CASE("berth-conformance prints a row a rule, and its exit status says whether they hold",
          "[boxes][docker]") {
  std::string socket;
  if (!part_present("BERTH_TEST_DOCKER", socket)) return;
  ScriptedSeam seam;
  TempFolder folder;
  const auto junit = (folder / "report.xml").native();
  const std::vector<std::string> argv = {
      BERTH_CONFORMANCE, "--runtime", "docker", "--socket", socket, "--only",
      "state.unknown",   "--output",  "json",   "--junit",  junit};
  const auto done = have(run_process(argv, std::chrono::seconds{60}, seam));
  INFO(done.err);
  REQUIRE(done.exit_status == 0);
  const auto report = Json::parse(done.out);
  CHECK(report["runtime"] == "docker");
  CHECK(report["passed"] == 1);
  CHECK(report["rules"][0]["rule"] == "state.unknown");
  CHECK(have(read_file(junit)).find("<testcase classname=\"docker\" name=\"state.unknown\"") !=
        std::string::npos);

  auto nowhere = argv;
  nowhere[4] = (folder / "no.sock").native();
  const auto refused = have(run_process(nowhere, std::chrono::seconds{30}, seam));
  CHECK(refused.exit_status == 4);
  CHECK(refused.err.find("missing") != std::string::npos);
}

}  // namespace berth::test
