#include "catalogue/collisions.h"

#include "tests/catalogue/world.h"

using namespace berth;             // NOLINT: a test reads better
using namespace berth::catalogue;  // NOLINT

namespace {

Json module(const std::string& name, const char* resources, bool claims = false) {
  Json seats = Json::array();
  if (claims) seats.push_back("node-container-runtime");
  return {{"name", name}, {"assignment", name}, {"claims", seats}, {"resources", Json::parse(resources)}};
}

std::string judged(const Json& one, const Json& other) {
  const auto status = check_collisions(Json::array({one, other}), "birch");
  return status ? "no collision" : status.error().detail;
}

}  // namespace

TEST_CASE("two modules that declare the same thing are refused naming both", "[catalogue][collision]") {
  CHECK(judged(module("a", R"([{"id": "p", "type": "package", "name": "x"}])"),
               module("b", R"([{"id": "q", "type": "package", "name": "x"}])")) ==
        "birch: a.p and b.q both declare the package x");
  CHECK(judged(module("a", R"([{"id": "s", "type": "service", "unit": "x.service"}])"),
               module("b", R"([{"id": "t", "type": "process", "unit": "x.service"}])")) ==
        "birch: a.s and b.t both declare the unit x.service");
  CHECK(judged(module("a", R"([{"id": "c", "type": "container", "spec": {"name": "x"}}])"),
               module("b", R"([{"id": "d", "type": "container", "spec": {"name": "x"}}])")) ==
        "birch: a.c and b.d both declare the container x");
  CHECK(judged(module("a", R"([{"id": "f", "type": "file", "path": "/etc/x"}])"),
               module("b", R"([{"id": "g", "type": "file", "path": "/etc/x"}])")) ==
        "birch: a.f and b.g both declare the file /etc/x");
  CHECK(judged(module("a", R"([{"id": "f", "type": "file", "path": "/etc/x"}])"),
               module("b", R"([{"id": "j", "type": "json", "path": "/etc/x", "into": {}}])")) ==
        "birch: a.f and b.j both declare the file /etc/x");
}

TEST_CASE("two resources of one module collide too", "[catalogue][collision]") {
  const auto twice = module(
      "a",
      R"([{"id": "f", "type": "file", "path": "/etc/x"}, {"id": "g", "type": "file", "path": "/etc/x"}])");
  CHECK(check_collisions(Json::array({twice}), "birch").error().detail ==
        "birch: a.f and a.g both declare the file /etc/x");
}

TEST_CASE("a JSON file may have owners of distinct members, and never two of one", "[catalogue][collision]") {
  const auto one = module("a", R"([{"id": "j", "type": "json", "path": "/etc/x.json", "into": {"k": 1}}])");
  CHECK(
      judged(one, module("b", R"([{"id": "j", "type": "json", "path": "/etc/x.json", "into": {"l": 1}}])")) ==
      "no collision");
  CHECK(
      judged(one, module("b", R"([{"id": "j", "type": "json", "path": "/etc/y.json", "into": {"k": 1}}])")) ==
      "no collision");
  CHECK(
      judged(one, module("b", R"([{"id": "j", "type": "json", "path": "/etc/x.json", "into": {"k": 1}}])")) ==
      "birch: a.j and b.j both declare the member k of /etc/x.json");
}

TEST_CASE("an account's groups may be declared by any number of modules, its shell and its home by one",
          "[catalogue][collision]") {
  const auto groups =
      module("docker", R"([{"id": "group", "type": "user", "name": "op", "groups": ["docker"]}])");
  const auto shell = module("zsh", R"([{"id": "shell", "type": "user", "name": "op", "shell": "/bin/zsh"}])");
  CHECK(judged(groups, shell) == "no collision");
  CHECK(judged(groups, module("wheel", R"([{"id": "group", "type": "user", "name": "op", "groups": ["docker"]}])")) ==
        "no collision");
  CHECK(judged(shell, module("fish", R"([{"id": "s", "type": "user", "name": "op", "shell": "/bin/fish"}])")) ==
        "birch: zsh.shell and fish.s both declare the shell of account op");
  CHECK(judged(shell, module("fish", R"([{"id": "s", "type": "user", "name": "root", "shell": "/bin/fish"}])")) ==
        "no collision");
  CHECK(judged(module("a", R"([{"id": "h", "type": "user", "name": "op", "home": "/home/op"}])"),
               module("b", R"([{"id": "h", "type": "user", "name": "op", "home": "/home/op"}])")) ==
        "birch: a.h and b.h both declare the home of account op");
}

TEST_CASE("no other module writes the runtime's file, not even another member of it",
          "[catalogue][collision]") {
  const auto docker = module(
      "docker",
      R"([{"id": "daemon", "type": "json", "path": "/etc/docker/daemon.json", "into": {"live-restore": true}}])",
      true);
  const auto dnsmasq = module(
      "dnsmasq",
      R"([{"id": "daemon", "type": "json", "path": "/etc/docker/daemon.json", "into": {"dns": ["10.0.0.2"]}}])");
  CHECK(judged(dnsmasq, docker) ==
        "birch: dnsmasq.daemon and docker.daemon both declare the file /etc/docker/daemon.json");
  CHECK(check_collisions(Json::array({dnsmasq, docker}), "birch").error().code == Errc::collision);
}

TEST_CASE("a declaration that writes the runtime's file from another module is never composed",
          "[catalogue][collision]") {
  auto fleet = test::small_fleet();
  fleet.manifests.push_back({"modules/dnsmasq.json", R"({"name": "dnsmasq", "settings": {}, "resources": [
    {"id": "daemon", "type": "json", "path": "/etc/docker/daemon.json", "into": {"dns": ["10.0.0.2"]}}]})"});
  test::CatalogueWorld world{fleet};
  const auto refused = world.compose("birch");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Errc::collision);
  CHECK(refused.error().detail ==
        "birch: docker.daemon and dnsmasq.daemon both declare the file /etc/docker/daemon.json");
}
