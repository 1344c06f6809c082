#include "catalogue/resolve.h"

#include <sstream>

#include "tests/catalogue/world.h"

using namespace berth;             // NOLINT: a test reads better
using namespace berth::catalogue;  // NOLINT

namespace {

/// A module of the small fleet as one machine gets it, its resources by id.
struct Resolved {
  FleetFacts fleet = test::small_fleet();
  MachineFacts& machine = fleet.machines[1];

  Result<Json> whole(const std::string& module) {
    return resolve_module(fleet, machine, shipped_manifests().value().at(module), {});
  }
  Json operator()(const std::string& module) {
    const auto resolved = whole(module);
    if (!resolved) FAIL(to_text(resolved.error()));
    Json by_id = Json::object();
    for (const auto& resource : (*resolved)["resources"]) by_id[resource["id"].get<std::string>()] = resource;
    return by_id;
  }
};

}  // namespace

TEST_CASE("the runtime's file gets what is owned by default and nothing else", "[catalogue]") {
  Resolved resolved;
  CHECK(resolved("docker")["daemon"]["into"] ==
        Json::parse(R"({"live-restore": true, "insecure-registries": ["registry.mesh:5000"]})"));
}

TEST_CASE("while nobody offers the artifact store, the list of registries gets nothing", "[catalogue]") {
  Resolved resolved;
  resolved.fleet.reach.clear();
  CHECK(resolved("docker")["daemon"]["into"] == Json{{"live-restore", true}});
  resolved.fleet.settings["docker"] = R"({"trusted-registries": ["own:5000"]})";
  CHECK(resolved("docker")["daemon"]["into"]["insecure-registries"] == Json{"own:5000"});
}

TEST_CASE("a setting brings its key in, and keep leaves a hand-written one alone", "[catalogue]") {
  Resolved resolved;
  resolved.machine.settings["docker"] =
      R"({"resolver": "10.0.0.2", "log-driver": "json-file", "log-opts": {"max-size": "10m"}, "keep": ["live-restore"]})";
  CHECK(resolved("docker")["daemon"]["into"] ==
        Json::parse(R"({"insecure-registries": ["registry.mesh:5000"], "dns": ["10.0.0.2"],
          "log-driver": "json-file", "log-opts": {"max-size": "10m"}})"));
  resolved.machine.settings["docker"] = R"({"keep": ["live-restore", "insecure-registries"]})";
  CHECK(resolved("docker")["daemon"]["into"] == Json::object());
}

TEST_CASE("packages are named by platform, and one that is not offered there is left out", "[catalogue]") {
  Resolved resolved;
  const auto on_12 = resolved("docker");
  CHECK(on_12["package"]["name"] == "docker.io");
  CHECK_FALSE(on_12.contains("buildx"));
  CHECK_FALSE(on_12.contains("client"));
  resolved.machine.platform = "debian-13";
  const auto on_13 = resolved("docker");
  CHECK(on_13["package"]["name"] == "docker.io");
  CHECK(on_13["client"]["name"] == "docker-cli");
  CHECK(on_13["buildx"]["name"] == "docker-buildx");
  resolved.machine.platform = "plan9";
  CHECK(resolved.whole("docker").error().detail == "birch: docker.package.name says nothing for plan9");
}

TEST_CASE("the weekly prune takes dangling images and old build cache and nothing else, idle, some time after the mark",
          "[catalogue]") {
  Resolved resolved;
  const auto docker = resolved("docker");
  const auto service = docker["prune-service"]["content"].get<std::string>();
  std::vector<std::string> runs;
  std::istringstream lines{service};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Exec")) runs.push_back(line);
  }
  CHECK(runs == std::vector<std::string>{"ExecStart=/usr/bin/docker image prune --force",
                                         "ExecStart=/usr/bin/docker builder prune --all --force --filter until=168h"});
  for (const char* idle : {"\nCPUSchedulingPolicy=idle\n", "\nIOSchedulingClass=idle\n", "\nNice=19\n"}) {
    CHECK(service.find(idle) != std::string::npos);
  }
  const auto timer = docker["prune-timer"]["content"].get<std::string>();
  for (const char* when : {"\nOnCalendar=weekly\n", "\nRandomizedDelaySec=1h\n", "\nPersistent=true\n"}) {
    CHECK(timer.find(when) != std::string::npos);
  }
  CHECK(docker["prune"] == Json::parse(R"({"id": "prune", "type": "service", "unit": "docker-prune.timer", "running": true,
    "enabled": true, "on_change": {"of": ["prune-service", "prune-timer"], "do": "restart"}})"));
}

TEST_CASE("the docker module declares its socket, the account's group and three capabilities", "[catalogue]") {
  Resolved resolved;
  const auto docker = resolved("docker");
  CHECK(docker["socket"] == Json::parse(R"({"id": "socket", "type": "service", "unit": "docker.socket", "running": true,
    "enabled": true})"));
  CHECK(docker["group"] == Json::parse(R"({"id": "group", "type": "user", "name": "operator", "groups": ["docker"]})"));
  CHECK(docker["runtime"] == Json::parse(R"({"id": "runtime", "type": "service", "unit": "docker.service", "running": true,
    "enabled": true, "on_change": {"of": ["daemon"], "do": "reload"}})"));
  const auto manifest = Json::parse(shipped_manifest_texts().at("schema/modules/docker.json"));
  CHECK(manifest["capabilities"] == Json{"package-manager", "service-manager", "privileged"});
}

TEST_CASE("the holder's process comes from the release that brings it, for the machine's platform",
          "[catalogue]") {
  Resolved resolved;
  const auto holder = resolved("docker")["holder"];
  CHECK(holder["version"] == "1.1.0");
  CHECK(holder["artifact"]["artifact"] == "file:///r/berth-1.1.0.tar.gz");
  CHECK_FALSE(holder.contains("release"));
  resolved.fleet.releases["with_holder"].platforms.erase("debian-12");
  CHECK(resolved.whole("docker").error().detail ==
        "birch: docker.holder.release: fleet.json says nothing for releases.with_holder.platforms.debian-12");
}

TEST_CASE("the holder's configuration is a document of this machine", "[catalogue]") {
  Resolved resolved;
  const auto file = resolved("docker")["holder-config"];
  CHECK(file["path"] == "/etc/berth/holder.json");
  const auto config = Json::parse(file["content"].get<std::string>());
  CHECK(config["machine"] == "birch");
  CHECK(config["engine"]["socket"] == "/run/docker.sock");
  CHECK(config["bus"]["url"] == "nats://10.0.0.2:4222");
  CHECK(config["bus"]["user"] == "holder-birch");
  CHECK(config["bounds"] == Json::parse(R"({"memory": 4294967296, "cpus": "2", "pids": 4096,
          "ports": [1024, 65535], "containers": 32})"));
}

TEST_CASE("a required member that comes out empty is refused naming it", "[catalogue]") {
  Resolved resolved;
  resolved.fleet.settings.erase("broker");
  CHECK(resolved.whole("broker").error().detail ==
        "birch: broker.permissions.content has no value on this machine");
  resolved.machine.account = "";
  const auto manifest = parse_manifest(R"({"name": "x", "settings": {}, "resources": [
    {"id": "f", "type": "file", "path": "/home/${machine:account}/x", "content": "y"}]})",
                                       "x.json");
  REQUIRE(manifest.ok());
  const auto refused = resolve_module(resolved.fleet, resolved.machine, *manifest, {});
  CHECK(refused.error().code == Errc::unfilled);
  CHECK(refused.error().field == "birch: x.f.path");
}

TEST_CASE("a path that only filling makes wrong is refused", "[catalogue]") {
  Resolved resolved;
  resolved.machine.account = "../etc";
  const auto manifest = parse_manifest(R"({"name": "x", "settings": {}, "resources": [
    {"id": "f", "type": "file", "path": "/home/${machine:account}/x", "content": "y"}]})",
                                       "x.json")
                            .value();
  CHECK(resolve_module(resolved.fleet, resolved.machine, manifest, {}).error().detail ==
        "birch: x.f.path must be an absolute path in its shortest form");
}
