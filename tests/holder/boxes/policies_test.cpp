#include "base/json.h"
#include "holder/boxes/kubernetes/objects.h"
#include "tests/holder/boxes/boxes_world.h"

namespace berth::test {
namespace {

using namespace holder::boxes;
using namespace holder::boxes::kubernetes;

BoxesConfig cluster_config() {
  BoxesConfig config;
  config.runtime = RuntimeKind::kubernetes;
  config.image = "box:1";
  return config;
}
Json wanted_policy() {
  return box_policy(cluster_config(), BoxId::parse("a").value(),
                    {"10.0.0.9", 3128, "8080", {{"app", "proxy"}}});
}
const Json kLabels = {{"boxes.box", "a"}};

}  // namespace

TEST_CASE("a box's policy lets it reach the proxy and nobody reach it", "[boxes][kubernetes]") {
  const auto policy = wanted_policy();
  CHECK(policy["spec"]["policyTypes"] == Json({"Ingress", "Egress"}));
  CHECK(policy["spec"]["ingress"].empty());
  REQUIRE(policy["spec"]["egress"].size() == 2);
  CHECK(policy["spec"]["egress"][0]["to"][0]["podSelector"]["matchLabels"]["app"] == "proxy");
  CHECK(policy["spec"]["egress"][0]["ports"][0]["port"] == 8080);
  CHECK(policy["spec"]["egress"][1]["to"][0]["ipBlock"]["cidr"] == "10.0.0.9/32");
}

TEST_CASE("a policy with the server's defaults filled in is the same; one that lets more through is not",
          "[boxes][kubernetes]") {
  const auto wanted = wanted_policy();
  auto found = wanted;
  found["spec"].erase("ingress");
  found["metadata"]["resourceVersion"] = "7";
  for (auto& rule : found["spec"]["egress"]) rule["ports"][0].erase("protocol");
  CHECK(same_policy(found, wanted));
  auto open = wanted;
  open["spec"]["egress"].push_back(Json::object());
  CHECK(!same_policy(open, wanted));
  open = wanted;
  open["spec"]["policyTypes"] = Json::array({"Ingress"});
  CHECK(!same_policy(open, wanted));
  open = wanted;
  open["spec"]["ingress"] = Json::array({Json::object()});
  CHECK(!same_policy(open, wanted));
  open = wanted;
  open["spec"]["podSelector"] = Json::object({{"matchLabels", {{"boxes.box", "b"}}}});
  CHECK(!same_policy(open, wanted));
}

TEST_CASE("another policy opens a box only if it selects it and lets something through",
          "[boxes][kubernetes]") {
  const auto policy = [](const Json& selector, const Json& egress) {
    return Json{{"spec", {{"podSelector", selector}, {"egress", egress}}}};
  };
  const auto all = Json::array({Json::object()});
  CHECK(opens(policy(Json::object(), all), kLabels));
  CHECK(!opens(policy(Json::object(), Json::array()), kLabels));
  CHECK(!opens(policy({{"matchLabels", {{"app", "web"}}}}, all), kLabels));
  CHECK(opens(policy({{"matchLabels", {{"boxes.box", "a"}}}}, all), kLabels));
  const auto by = [](const char* key, const char* kind, Json values) {
    return Json{{"matchExpressions",
                 Json::array({{{"key", key}, {"operator", kind}, {"values", std::move(values)}}})}};
  };
  CHECK(opens(policy(by("boxes.box", "Exists", nullptr), all), kLabels));
  CHECK(!opens(policy(by("boxes.login", "Exists", nullptr), all), kLabels));
  CHECK(opens(policy(by("boxes.login", "DoesNotExist", nullptr), all), kLabels));
  CHECK(opens(policy(by("boxes.box", "In", {"a", "b"}), all), kLabels));
  CHECK(!opens(policy(by("boxes.box", "NotIn", {"a"}), all), kLabels));
  CHECK(opens(policy(by("boxes.box", "Unheard", nullptr), all), kLabels));
  CHECK(!opens(login_policy(cluster_config()), kLabels));
}

TEST_CASE("a box's pod has no rights, no account and no resolver, and its storage three times",
          "[boxes][kubernetes]") {
  const auto config = cluster_config();
  const auto pod = box_pod(config, BoxId::parse("a").value(), config.spec());
  const auto& spec = pod["spec"];
  CHECK(spec["automountServiceAccountToken"] == false);
  CHECK(spec["dnsPolicy"] == "None");
  CHECK(spec["securityContext"]["runAsNonRoot"] == true);
  CHECK(!spec.contains("hostNetwork"));
  const auto& box = spec["containers"][0];
  CHECK(box["securityContext"]["capabilities"]["drop"] == Json::array({"ALL"}));
  CHECK(box["securityContext"]["allowPrivilegeEscalation"] == false);
  CHECK(box["volumeMounts"].size() == 3);
  CHECK(box["volumeMounts"][1] == Json({{"name", "data"}, {"mountPath", "/box/work"}, {"subPath", "work"}}));
  CHECK(spec["volumes"][0]["persistentVolumeClaim"]["claimName"] == "box-a");
}

}  // namespace berth::test
