#include "catalogue/manifest.h"

#include <set>

#include "catalogue/verbs.h"
#include "tests/catalogue/world.h"

using namespace berth;             // NOLINT: a test reads better
using namespace berth::catalogue;  // NOLINT
using test::CatalogueWorld;

namespace {

/// A manifest with one member put in the place of another.
std::string with(const std::string& member, const Json& value) {
  auto manifest = Json::parse(test::kWeb);
  manifest[Json::json_pointer(member)] = value;
  return manifest.dump();
}

std::string complaint(const std::string& text) {
  const auto parsed = parse_manifest(text, "modules/web.json");
  return parsed ? "taken" : parsed.error().detail;
}

}  // namespace

TEST_CASE("every manifest that ships parses and is of the file it is named for", "[catalogue]") {
  const auto manifests = shipped_manifests();
  REQUIRE(manifests.ok());
  std::set<std::string> names;
  for (const auto& [name, manifest] : *manifests) names.insert(name);
  CHECK(names == std::set<std::string>{"broker", "dnsmasq", "docker", "podman", "private-network"});
  for (const auto& [file, text] : shipped_manifest_texts()) {
    CHECK(file == "schema/modules/" + parse_manifest(text, file)->name + ".json");
  }
}

TEST_CASE("the docker module has eighteen tools, each another name of a verb", "[catalogue]") {
  const auto manifests = shipped_manifests().value();
  const auto& docker = manifests.at("docker");
  CHECK(docker.tools.size() == 18);
  const std::set<std::string> expected = {"list",       "inspect",  "logs",    "stats",  "start",
                                          "stop",       "restart",  "top",     "images", "prune",
                                          "disk_usage", "networks", "volumes", "events", "daemon_config",
                                          "unlabelled", "problems", "ports",   "create", "remove"};
  CHECK(served_verbs(docker) == expected);
}

TEST_CASE("only the docker module writes the engine's file or declares its service", "[catalogue]") {
  const auto texts = shipped_manifest_texts();
  for (const auto& [file, text] : texts) {
    const bool is_dockers = file == "schema/modules/docker.json";
    CHECK((text.find("/etc/docker/daemon.json") != std::string::npos) == is_dockers);
    CHECK((text.find("\"docker.service\"") != std::string::npos) == is_dockers);
  }
}

TEST_CASE("the dnsmasq module is the package, its file and its service, which is restarted when the file changes", "[catalogue]") {
  CatalogueWorld world{test::small_fleet()};
  const auto push = world.push("birch");
  CHECK(test::resource_in(push, "dnsmasq.package") == Json{{"id", "package"}, {"type", "package"}, {"name", "dnsmasq"}});
  CHECK(test::resource_in(push, "dnsmasq.config")["content"] == "domain-needed\nbogus-priv\nlocal=/mesh/\ncache-size=1000\n");
  CHECK(test::resource_in(push, "dnsmasq.service") ==
        Json{{"id", "service"}, {"type", "service"}, {"unit", "dnsmasq.service"}, {"running", true}, {"enabled", true},
             {"on_change", {{"of", {"config"}}, {"do", "restart"}}}});
}

TEST_CASE("the engine's service is reloaded and never restarted", "[catalogue]") {
  const auto resources = Json::parse(shipped_manifests().value().at("docker").resources);
  for (const auto& resource : resources) {
    if (resource.value("unit", "") != "docker.service") continue;
    CHECK(resource["on_change"] == Json{{"of", {"daemon"}}, {"do", "reload"}});
  }
}

TEST_CASE("a wrong manifest is refused naming file, place and reason", "[catalogue]") {
  CHECK(complaint(test::kWeb) == "taken");
  CHECK(complaint("{").starts_with("modules/web.json is not the JSON document it should be"));
  CHECK(
      complaint(with("/name", "We b")).starts_with("modules/web.json: name: \"We b\" is not a module name"));
  CHECK(complaint(with("/colour", "red")) == "modules/web.json: the manifest.colour is not a known field");
  CHECK(complaint(with("/settings/port/cost", "free")) ==
        "modules/web.json: settings.port.cost must be one of none, reload, restart, recreate");
  CHECK(complaint(with("/settings/port", {{"meaning", "x"}, {"cost", "none"}})) ==
        "modules/web.json: settings.port.default is required; null leaves it to the machine");
  CHECK(complaint(with("/settings/keep", {{"default", 1}, {"meaning", "x"}, {"cost", "none"}})) ==
        "modules/web.json: settings.keep is a word of every module already");
  CHECK(
      complaint(with("/resources/0/type", "volume")) ==
      "modules/web.json: resources[0].type must be one of package, user, service, file, json, container, process");
  CHECK(complaint(with("/resources/0/path", "/etc/x")) ==
        "modules/web.json: resources[0].path is not a member of a container resource");
  CHECK(complaint(with("/resources/0", {{"id", "a"}, {"type", "file"}, {"path", "/etc/x"}})) ==
        "modules/web.json: resources[0].content is required");
  CHECK(complaint(
            with("/resources/0", {{"id", "a"}, {"type", "file"}, {"path", "etc/../x"}, {"content", ""}})) ==
        "modules/web.json: resources[0].path must be an absolute path in its shortest form");
  CHECK(complaint(with("/resources/1", Json::parse(test::kWeb)["resources"][0])) ==
        "modules/web.json: resources[1].id stands twice in this module");
  CHECK(complaint(with("/resources/0/on_change", {{"of", {"conf"}}, {"do", "restart"}})) ==
        "modules/web.json: resources[0] waits for a change of \"conf\", which is no resource here");
  CHECK(complaint(with("/resources/0/on_change", {{"of", {"page"}}, {"do", "signal"}, {"signal", "KILL"}})) ==
        "modules/web.json: resources[0].on_change must be {\"of\": [ids], \"do\": reload, restart or signal "
        "(HUP, USR1, USR2)}");
}

TEST_CASE("a placeholder that nobody can fill is refused where the manifest is read", "[catalogue]") {
  CHECK(
      complaint(with("/resources/0/spec/image", "${setting:image}")) ==
      "modules/web.json: resources[0].spec.image: the placeholder ${setting:image} names no setting of web");
  CHECK(complaint(with("/resources/0/spec/image", "${machine:colour}")) ==
        "modules/web.json: resources[0].spec.image: the placeholder ${machine:colour} is unknown");
  CHECK(complaint(with("/resources/0/spec/image", "${seat:x:reach")) ==
        "modules/web.json: resources[0].spec.image: the placeholder ${seat:x:reach has no end");
}
