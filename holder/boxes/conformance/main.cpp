#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "base/error.h"
#include "base/seam.h"
#include "holder/boxes/conformance/engine_world.h"
#include "holder/boxes/conformance/kubernetes_world.h"
#include "holder/boxes/conformance/report.h"

// berth-conformance: tries the rules of the box runtime on a real one.
namespace {

namespace conformance = berth::holder::boxes::conformance;

struct Asked {
  std::string runtime, socket, image, output = "table", junit, kubeconfig, name_space = "boxes",
                                      storage_class, only;
  bool list = false;
};

berth::Result<std::unique_ptr<conformance::World>> world_of(const Asked& asked) {
  namespace engine = berth::holder::engine;
  if (asked.runtime == "kubernetes") {
    conformance::KubernetesWorld::Options options;
    options.kubeconfig = asked.kubeconfig;
    options.name_space = asked.name_space;
    options.storage_class = asked.storage_class;
    if (!asked.image.empty()) options.image = asked.image;
    return std::unique_ptr<conformance::World>{
        TRY(conformance::KubernetesWorld::open(options, berth::no_faults()))};
  }
  const bool podman = asked.runtime == "podman";
  const conformance::EngineWorld::Options options{
      .socket = !asked.socket.empty() ? asked.socket
                : podman              ? "/run/podman/podman.sock"
                                      : "/run/docker.sock",
      .kind = podman ? engine::Kind::podman : engine::Kind::docker,
      .image = asked.image};
  return std::unique_ptr<conformance::World>{
      TRY(conformance::EngineWorld::open(options, berth::no_faults()))};
}

std::vector<conformance::Rule> chosen(const Asked& asked) {
  auto rules = conformance::rules();
  if (!asked.only.empty())
    std::erase_if(rules,
                  [&](const auto& rule) { return rule.name.find(asked.only) == std::string_view::npos; });
  return rules;
}

std::vector<conformance::Row> try_all(const Asked& asked, conformance::World& world) {
  conformance::Bench bench{world};
  std::vector<conformance::Row> rows;
  for (const auto& rule : chosen(asked)) {
    rows.push_back(conformance::try_rule(rule, bench));
    if (asked.output == "table") std::cout << conformance::row_line(rows.back()) << std::endl;
  }
  if (const auto cleared = bench.clear(); !cleared)
    std::cerr << "not all of it could be removed: " << berth::to_text(cleared.error()) << '\n';
  return rows;
}

int tell(const Asked& asked, const std::vector<conformance::Row>& rows) {
  if (asked.output == "json") std::cout << conformance::json_report(asked.runtime, rows);
  if (asked.output == "junit") std::cout << conformance::junit_report(asked.runtime, rows);
  if (asked.output == "table") std::cout << conformance::summary_line(rows) << '\n';
  if (!asked.junit.empty()) {
    std::ofstream file{asked.junit};
    file << conformance::junit_report(asked.runtime, rows);
    if (!file.flush()) {
      std::cerr << "cannot write " << asked.junit << '\n';
      return 1;
    }
  }
  return conformance::all_hold(rows) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"berth-conformance: tries every rule of the box runtime on a real runtime, a row a rule"};
  app.set_version_flag("--version", BERTH_VERSION);
  Asked asked;
  app.add_option("--runtime", asked.runtime, "docker, podman or kubernetes")
      ->required()
      ->check(CLI::IsMember({"docker", "podman", "kubernetes"}));
  app.add_option("--socket", asked.socket, "the engine's socket");
  const char* named = std::getenv("KUBECONFIG");
  if (named != nullptr) asked.kubeconfig = named;
  app.add_option("--kubeconfig", asked.kubeconfig, "kubernetes: the cluster and whose rights ($KUBECONFIG)");
  app.add_option("--namespace", asked.name_space, "kubernetes: where boxes live")->capture_default_str();
  app.add_option("--storage-class", asked.storage_class,
                 "kubernetes: of the claims; the cluster's default unless named");
  app.add_option("--image", asked.image,
                 "the box image to try; one around busybox is made when none is named");
  app.add_option("--output", asked.output, "table, json or junit")
      ->check(CLI::IsMember({"table", "json", "junit"}));
  app.add_option("--junit", asked.junit, "write a JUnit report there too");
  app.add_option("--only", asked.only, "rules whose name holds this text");
  app.add_flag("--list", asked.list, "print the rules and try none");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;  // usage, as every program here says it
  }
  if (asked.list) {
    for (const auto& rule : chosen(asked)) std::cout << rule.name << "\t" << rule.text << '\n';
    return 0;
  }
  auto world = world_of(asked);
  if (!world) {
    std::cerr << "berth-conformance: " << berth::to_text(world.error()) << '\n';
    return berth::error_row(world.error().code).exit_status;
  }
  return tell(asked, try_all(asked, **world));
}
