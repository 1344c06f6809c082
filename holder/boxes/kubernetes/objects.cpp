#include "holder/boxes/kubernetes/objects.h"

#include "base/hash.h"
#include "base/json.h"
#include "holder/boxes/running.h"

namespace berth::holder::boxes::kubernetes {
namespace {

// As root, with the rights for that alone: a volume of most kinds is root's when it is new.
constexpr const char* kPrepareStorage =
    "uid=$1; shift; for part; do mkdir -p \"/boxes/$part\" && chown \"$uid:$uid\" \"/boxes/$part\" && chmod "
    "0700 "
    "\"/boxes/$part\" || exit 1; done";

Json metadata(const BoxesConfig& config, const std::string& name, const char* label,
              const std::string& value) {
  return {{"name", name}, {"namespace", config.name_space}, {"labels", {{label, value}}}};
}

std::string pull_policy_of(const BoxesConfig& config) {
  if (config.pull_policy == "always") return "Always";
  return config.pull_policy == "never" ? "Never" : "IfNotPresent";
}

Json environment_of(const BoxSpec& spec) {
  Json list = Json::array();
  for (const auto& [name, value] : spec.environment) list.push_back({{"name", name}, {"value", value}});
  return list;
}

Json without_rights() {
  return {{"allowPrivilegeEscalation", false}, {"capabilities", {{"drop", Json::array({"ALL"})}}}};
}

Json limits_of(const BoxSpec& spec) {
  const Json limits = {{"memory", std::to_string(spec.memory_bytes)},
                       {"cpu", std::to_string(std::max<std::int64_t>(1, spec.nano_cpus / 1'000'000)) + "m"}};
  return {{"limits", limits}, {"requests", {{"memory", "16Mi"}, {"cpu", "10m"}}}};
}

Json container_of(const BoxesConfig& config, const BoxSpec& spec) {
  return {{"name", kContainer},
          {"image", spec.image},
          {"imagePullPolicy", pull_policy_of(config)},
          {"command", idle_command()},
          {"workingDir", kParts[0].target},
          {"env", environment_of(spec)},
          {"resources", limits_of(spec)},
          {"securityContext", without_rights()}};
}

Json pod_spec(const BoxesConfig& config) {
  const auto uid = config.uid;
  return {{"restartPolicy", "Never"},
          {"automountServiceAccountToken", false},
          {"enableServiceLinks", false},
          {"terminationGracePeriodSeconds", 5},
          {"securityContext",
           {{"runAsUser", uid},
            {"runAsGroup", uid},
            {"fsGroup", uid},
            {"runAsNonRoot", true},
            {"seccompProfile", {{"type", "RuntimeDefault"}}}}}};
}

Json storage_container(const BoxesConfig& config, const BoxSpec& spec) {
  Json command = {"sh", "-c", kPrepareStorage, "sh", std::to_string(config.uid)};
  for (const auto& one : kParts) command.push_back(one.name);
  auto rights = without_rights();
  rights["capabilities"]["add"] = {"CHOWN", "DAC_OVERRIDE", "FOWNER"};
  rights["runAsUser"] = 0;
  rights["runAsNonRoot"] = false;
  return {{"name", "storage"},
          {"image", spec.image},
          {"imagePullPolicy", pull_policy_of(config)},
          {"command", command},
          {"resources", {{"limits", {{"memory", "64Mi"}, {"cpu", "500m"}}}}},
          {"securityContext", rights},
          {"volumeMounts", Json::array({{{"name", "data"}, {"mountPath", "/boxes"}}})}};
}

Json policy_document(const BoxesConfig& config, const std::string& name, Json spec) {
  Json about = {{"name", name}, {"namespace", config.name_space}};
  spec["policyTypes"] = {"Ingress", "Egress"};
  spec["ingress"] = Json::array();
  return {
      {"apiVersion", "networking.k8s.io/v1"}, {"kind", "NetworkPolicy"}, {"metadata", about}, {"spec", spec}};
}

}  // namespace

Json claim_of(const BoxesConfig& config, const BoxId& box) {
  Json spec = {{"accessModes", Json::array({"ReadWriteOnce"})},
               {"resources", {{"requests", {{"storage", std::to_string(config.storage_bytes)}}}}}};
  if (!config.data_volume.empty()) spec["storageClassName"] = config.data_volume;
  return {{"apiVersion", "v1"},
          {"kind", "PersistentVolumeClaim"},
          {"metadata", metadata(config, box_name(box), kBoxLabel, box.text())},
          {"spec", spec}};
}

Json box_pod(const BoxesConfig& config, const BoxId& box, const BoxSpec& spec) {
  auto container = container_of(config, spec);
  for (const auto& one : kParts)
    container["volumeMounts"].push_back({{"name", "data"}, {"mountPath", one.target}, {"subPath", one.name}});
  auto inside = pod_spec(config);
  // Nobody resolves a name for a box: the proxy is reached by its address.
  inside["dnsPolicy"] = "None";
  inside["dnsConfig"] = {{"nameservers", Json::array({"127.0.0.1"})}};
  inside["initContainers"] = Json::array({storage_container(config, spec)});
  inside["containers"] = Json::array({container});
  inside["volumes"] =
      Json::array({{{"name", "data"}, {"persistentVolumeClaim", {{"claimName", box_name(box)}}}}});
  auto about = metadata(config, box_name(box), kBoxLabel, box.text());
  about["annotations"] = {{kSpecMark, canonical_hash(inside)}};
  return {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", about}, {"spec", inside}};
}

Json login_pod(const BoxesConfig& config, const LoginId& login) {
  auto container = container_of(config, config.login_spec());
  container["workingDir"] = kLoginHome;
  container["volumeMounts"] = Json::array({{{"name", "home"}, {"mountPath", kLoginHome}}});
  auto inside = pod_spec(config);
  inside["containers"] = Json::array({container});
  inside["volumes"] =
      Json::array({{{"name", "home"}, {"emptyDir", {{"medium", "Memory"}, {"sizeLimit", "64Mi"}}}}});
  const auto about = metadata(config, login_name(login), kLoginLabel, login.text());
  return {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", about}, {"spec", inside}};
}

// Some network plugins judge a packet before the Service's address becomes a pod's, others after: both are
// named.
Json box_policy(const BoxesConfig& config, const BoxId& box, const ProxyService& proxy) {
  const bool numbered = proxy.target_port.find_first_not_of("0123456789") == std::string::npos;
  const Json target = numbered ? Json(std::stoi(proxy.target_port)) : Json(proxy.target_port);
  Json pods;
  pods["podSelector"]["matchLabels"] = proxy.selector;
  const Json to_pods = {{"to", Json::array({pods})},
                        {"ports", Json::array({{{"protocol", "TCP"}, {"port", target}}})}};
  const bool ipv6 = proxy.cluster_ip.find(':') != std::string::npos;
  const Json to_service = {
      {"to", Json::array({{{"ipBlock", {{"cidr", proxy.cluster_ip + (ipv6 ? "/128" : "/32")}}}}})},
      {"ports", Json::array({{{"protocol", "TCP"}, {"port", proxy.port}}})}};
  Json spec = {{"podSelector", {{"matchLabels", {{kBoxLabel, box.text()}}}}},
               {"egress", Json::array({to_pods, to_service})}};
  auto policy = policy_document(config, box_name(box), std::move(spec));
  policy["metadata"]["labels"] = {{kBoxLabel, box.text()}};
  return policy;
}

Json login_policy(const BoxesConfig& config) {
  const Json has_label = {{"key", kLoginLabel}, {"operator", "Exists"}};
  const Json out4 = {{"ipBlock", {{"cidr", "0.0.0.0/0"}, {"except", Json::array({"169.254.0.0/16"})}}}};
  const Json out6 = {{"ipBlock", {{"cidr", "::/0"}, {"except", Json::array({"fd00:ec2::/32"})}}}};
  return policy_document(config, kLoginPolicy,
                         {{"podSelector", {{"matchExpressions", Json::array({has_label})}}},
                          {"egress", Json::array({{{"to", Json::array({out4, out6})}}})}});
}

}  // namespace berth::holder::boxes::kubernetes
