#include "base/json.h"
#include "tests/holder/boxes/boxes_world.h"

namespace berth::test {
namespace {

using holder::boxes::BoxesConfig;
using holder::boxes::RuntimeKind;

std::string refused(Json document) {
  if (!document.contains("runtime")) document["runtime"] = "docker";
  if (!document.contains("image")) document["image"] = "box:1";
  const auto config = BoxesConfig::parse(document, "boxes");
  return config ? std::string{"taken"} : config.error().field;
}

}  // namespace

TEST_CASE("the boxes' configuration has a default for all but runtime and image", "[boxes][config]") {
  const auto config = have(BoxesConfig::parse({{"runtime", "docker"}, {"image", "box:1"}}, "boxes"));
  CHECK(config.run_timeout == std::chrono::seconds{60});
  CHECK(config.uid == 1000);
  CHECK(config.socket == "/run/berth/boxes.sock");
  CHECK(config.uids == std::vector<uid_t>{0});
  CHECK(config.spec().image == "box:1");
  CHECK(config.spec().environment.at("HOME") == "/home/box");
  const auto cluster = have(BoxesConfig::parse({{"runtime", "kubernetes"},
                                                {"image", "box:1"},
                                                {"proxy", "gate:8080"},
                                                {"namespace", "b"},
                                                {"uids", Json::array({7U})}},
                                               "boxes"));
  CHECK(cluster.runtime == RuntimeKind::kubernetes);
  CHECK(cluster.proxy == "gate");
  CHECK(cluster.proxy_port == 8080);
  CHECK(cluster.data_volume.empty());
}

TEST_CASE("a wrong configuration of boxes names its member", "[boxes][config]") {
  CHECK(refused({}) == "taken");
  CHECK(refused({{"runtime", "lxc"}}) == "boxes.runtime");
  CHECK(refused({{"image", ""}}) == "boxes.image");
  CHECK(refused({{"uid", 0}}) == "boxes.uid");
  CHECK(refused({{"proxy", "gate"}}) == "boxes.proxy");
  CHECK(refused({{"proxy", "gate:0"}}) == "boxes.proxy");
  CHECK(refused({{"proxy", "gate:99999999999"}}) == "boxes.proxy");
  CHECK(refused({{"namespace", "A/b"}}) == "boxes.namespace");
  CHECK(refused({{"pull_policy", "sometimes"}}) == "boxes.pull_policy");
  CHECK(refused({{"run_timeout_s", 0}}) == "boxes.run_timeout_s");
  CHECK(refused({{"uids", Json::array()}}) == "boxes.uids");
  CHECK(refused({{"socket", "boxes.sock"}}) == "boxes.socket");
  CHECK(refused({{"kubeconfig", "config"}}) == "boxes.kubeconfig");
  CHECK(refused({{"cpus", "many"}}) == "boxes.cpus");
  CHECK(refused({{"path", "/data"}}) == "boxes.path");
}

}  // namespace berth::test
