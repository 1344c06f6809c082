#include "catalogue/settings.h"

#include "tests/catalogue/world.h"

using namespace berth;             // NOLINT: a test reads better
using namespace berth::catalogue;  // NOLINT

namespace {

struct Layers {
  FleetFacts fleet = test::small_fleet();
  Manifest docker = shipped_manifests().value().at("docker");

  std::string on_alder(const std::string& fleet_wide, const std::string& machine) {
    fleet.settings["docker"] = fleet_wide;
    fleet.machines[0].settings["docker"] = machine;
    const auto settings = effective_settings(fleet, fleet.machines[0], docker);
    return settings ? settings->dump() : settings.error().detail;
  }
};

}  // namespace

TEST_CASE("a machine's setting goes over the fleet's, and that over the default", "[catalogue]") {
  Layers layers;
  const auto all = Json::parse(layers.on_alder(R"({"live-restore": false, "resolver": "10.0.0.2"})",
                                               R"({"resolver": null, "log-driver": "local"})"));
  CHECK(all["live-restore"] == false);
  CHECK(all["resolver"] == nullptr);
  CHECK(all["log-driver"] == "local");
  CHECK(all["trusted-registries"] == Json::array());
  CHECK(all.size() == layers.docker.settings.size());
}

TEST_CASE("a setting the module does not have, or of another type, is refused naming its place",
          "[catalogue]") {
  Layers layers;
  CHECK(layers.on_alder(R"({"colour": 1})", "{}") ==
        "fleet.json: settings.docker.colour: the module has no such setting; it has bus-containers, "
        "bus-cpus, bus-memory, bus-pids, bus-ports, live-restore, log-driver, log-opts, "
        "resolver, socket, trusted-registries");
  CHECK(layers.on_alder("{}", R"({"live-restore": "yes"})") ==
        "fleet.json: machines.alder.settings.docker.live-restore must be of the type of its default, true");
  CHECK(layers.on_alder("[]", "{}") == "fleet.json: settings.docker must be an object");
}

TEST_CASE("keep names the hand-written keys that stay, of the fleet and the machine together",
          "[catalogue]") {
  Layers layers;
  layers.on_alder(R"({"keep": ["dns"]})", R"({"keep": ["live-restore"]})");
  CHECK(kept_keys(layers.fleet, layers.fleet.machines[0], "docker").value() ==
        std::set<std::string>{"dns", "live-restore"});
  layers.on_alder(R"({"keep": "dns"})", "{}");
  CHECK(kept_keys(layers.fleet, layers.fleet.machines[0], "docker").error().detail ==
        "fleet.json: settings.docker.keep must be a list of keys");
}
