#include "migrate/fleet_document.h"

#include "base/json.h"
#include "catch.h"
#include "tests/migrate/fleet_file.h"

using berth::Json;
using berth::migrate::FleetDocument;
using berth::test::FleetFile;

namespace {

/// What the document is refused for after `pointer` was given `value` (null: taken away).
std::string refusal(const std::string& pointer, const Json& value) {
  FleetFile file;
  const Json::json_pointer at{pointer};
  if (value.is_null()) {
    file.document[at.parent_pointer()].erase(at.back());
  } else {
    file.document[at] = value;
  }
  const auto loaded = FleetDocument::load(file.write());
  return loaded ? "none" : loaded.error().detail;
}

}  // namespace

TEST_CASE("a fleet document is read, its paths relative to itself") {
  FleetFile file;
  const auto fleet = FleetDocument::load(file.write());
  INFO((fleet ? "" : fleet.error().detail));
  REQUIRE(fleet.ok());
  CHECK(fleet->name.text() == "mesh");
  CHECK(fleet->machines == std::vector<std::string>{"alder", "birch", "cedar", "dogwood"});
  CHECK(fleet->bus.password_file == file.folder() / "secrets/operator.password");
  CHECK(fleet->facts.bus.broker_machine == "alder");
  CHECK(fleet->facts.manifests.at(0).path == (file.folder() / "modules/web.json").native());
  CHECK(fleet->machine("birch").modules ==
        std::vector<std::string>{"docker", "dnsmasq", "private-network", "web"});
  CHECK(fleet->version("with_holder") == "1.1.0");
  CHECK(fleet->artifact("with_holder", "birch")->sha256 == std::string(64, 'b'));
  CHECK(fleet->max_parallel == 2);
}

TEST_CASE("the hash is that of the content, manifests included, and not of white space or order") {
  FleetFile file;
  const auto once = FleetDocument::load(file.write(0)).value().hash;
  CHECK(FleetDocument::load(file.write(4)).value().hash == once);
  file.manifest = R"({"name": "web", "resources": [], "tools": []})";
  CHECK(FleetDocument::load(file.write()).value().hash != once);
}

TEST_CASE("every wrong member of a fleet document is refused naming file, member and reason") {
  FleetFile file;
  const auto prefix = file.write().native() + ": ";
  CHECK(FleetDocument::load(file.folder() / "none.json").error().detail.find("none.json") !=
        std::string::npos);
  const auto ends = [&](const std::string& text, const std::string& end) {
    INFO(text);
    CHECK(text.find("fleet.json: ") != std::string::npos);
    CHECK(text.ends_with(end));
  };
  ends(refusal("/bus", nullptr), "bus is required");
  ends(refusal("/bus/url", "http://x"), "bus.url must begin nats:// or tls://");
  ends(refusal("/bus/broker/machine", "elm"),
       "bus.broker.machine names elm, which is no machine of the fleet");
  ends(refusal("/bus/broker/module", "docker2"),
       "bus.broker.module docker2 is not among machines.alder.modules");
  ends(refusal("/machines/alder/machine_id", "x"),
       "machines.alder.machine_id must be 32 hexadecimal digits, as /etc/machine-id has them");
  ends(refusal("/machines/birch/machine_id", std::string(32, 'a')),
       "machines.birch.machine_id is that of alder too: machines made from one image need ids of their own");
  ends(refusal("/machines/alder/modules", Json::array({"docker", "docker"})),
       "machines.alder.modules names docker twice");
  ends(refusal("/machines/alder/moduls", Json::array()), "machines.alder.moduls is not a known field");
  ends(refusal("/machines/alder/settings", {{"docker", 1}}),
       "machines.alder.settings.docker must be an object");
  ends(refusal("/machines/alder/platform", "debian-11"),
       "releases.with_holder.platforms has no debian-11, which alder needs");
  ends(refusal("/grants/0/class", "write"), "grants[0].class must be one of read, act");
  ends(refusal("/grants/1/verbs/0", "*"),
       "grants[1].verbs \"*\" reaches reading verbs only: name each verb that changes something");
  ends(refusal("/grants/0/machine", "elm"), "grants[0].machine names elm, which is no machine of the fleet");
  ends(refusal("/releases/start", nullptr), "releases.start is required");
  ends(refusal("/releases/without_cli/version", "1.1.0"),
       "releases.without_cli.version is that of releases.with_holder too: a step would change nothing");
  ends(refusal("/releases/start/version", "../x"),
       "releases.start.version must be letters, digits and . + ~ - _, at most 64");
  ends(refusal("/releases/with_holder/platforms/debian-12/sha256", "ab"),
       "releases.with_holder.platforms.debian-12.sha256 must be 64 hexadecimal digits");
  ends(refusal("/canary", Json::array({"elm"})), "canary names elm, which is no machine of the fleet");
  ends(refusal("/max_parallel", 0), "max_parallel must be a whole number from 1 to 64");
  ends(refusal("/machins", Json::object()), "machins is not a known field");
  CHECK(refusal("/manifests/0", "modules/none.json").find("modules/none.json") != std::string::npos);
}
