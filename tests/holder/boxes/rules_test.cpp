#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "holder/boxes/conformance/kubernetes_world.h"
#include "tests/holder/boxes/boxes_world.h"

// Every rule of the box runtime on the real ones. Each is a row of holder/boxes/conformance.
namespace berth::test {
namespace {

namespace conformance = holder::boxes::conformance;

void all_rules_hold(conformance::World& world) {
  conformance::Bench bench{world};
  for (const auto& rule : conformance::rules()) {
    const auto row = conformance::try_rule(rule, bench);
    INFO(conformance::row_line(row));
    CHECK(row.outcome != conformance::Row::Outcome::failed);
    if (row.outcome == conformance::Row::Outcome::skipped) WARN("SKIPPED: " << conformance::row_line(row));
  }
  have(bench.clear());
}

}  // namespace

TEST_CASE("every rule of the box runtime holds on Docker", "[boxes][docker]") {
  std::string socket;
  if (!part_present("BERTH_TEST_DOCKER", socket)) return;
  ScriptedSeam seam;
  all_rules_hold(*engine_world(socket, seam));
}

TEST_CASE("every rule of the box runtime holds on Podman", "[boxes][podman]") {
  std::string socket;
  if (!part_present("BERTH_TEST_PODMAN", socket)) return;
  ScriptedSeam seam;
  all_rules_hold(*engine_world(socket, seam));
}

// scripts/test --all makes the cluster; BERTH_TEST_KUBECONFIG names any other.
TEST_CASE("every rule of the box runtime holds on Kubernetes", "[boxes][.kubernetes]") {
  std::string kubeconfig;
  if (!part_present("BERTH_TEST_KUBECONFIG", kubeconfig)) return;
  ScriptedSeam seam;
  conformance::KubernetesWorld::Options options;
  options.kubeconfig = kubeconfig;
  all_rules_hold(*have(conformance::KubernetesWorld::open(options, seam)));
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
