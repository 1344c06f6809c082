#include <algorithm>

#include "base/json.h"
#include "holder/boxes/kubernetes/kubernetes_runtime.h"

// NetworkPolicies, and the proxy's Service.
namespace berth::holder::boxes::kubernetes {
namespace {

constexpr int kAttempts = 5;  // of a change that somebody else's gets before

bool is_ready(const Json& pod) {
  const auto& conditions = part(pod, {"status", "conditions"});
  if (!conditions.is_array() || !text_part(pod, {"metadata", "deletionTimestamp"}).empty()) return false;
  return std::any_of(conditions.begin(), conditions.end(), [](const Json& one) {
    return text_part(one, {"type"}) == "Ready" && text_part(one, {"status"}) == "True";
  });
}

/// Where the Service's port leads in its pods: a number, or the name of a port of theirs.
std::string target_port_of(const Json& service, int port) {
  const auto& ports = part(service, {"spec", "ports"});
  if (ports.is_array()) {
    for (const auto& one : ports) {
      if (one.value("port", 0) != port) continue;
      const auto& target = part(one, {"targetPort"});
      if (target.is_string()) return target.get<std::string>();
      if (target.is_number_integer() && target.get<int>() > 0) return std::to_string(target.get<int>());
    }
  }
  return std::to_string(port);
}

}  // namespace

Result<ProxyService> KubernetesRuntime::proxy() {
  const auto service = TRY(find("/api/v1/namespaces/" + config_.name_space + "/services", config_.proxy));
  if (service.is_null())
    return fail(Errc::not_found, "the egress proxy's Service " + config_.proxy + " is not in the namespace " +
                                     config_.name_space);
  ProxyService found{.cluster_ip = text_part(service, {"spec", "clusterIP"}),
                     .port = config_.proxy_port,
                     .target_port = target_port_of(service, config_.proxy_port),
                     .selector = {}};
  if (found.cluster_ip.empty() || found.cluster_ip == "None")
    return fail(Errc::conflict,
                "the egress proxy's Service " + config_.proxy + " has no address in the cluster");
  if (const auto& selector = part(service, {"spec", "selector"}); selector.is_object())
    found.selector = selector.get<std::map<std::string, std::string>>();
  if (found.selector.empty())
    return fail(Errc::conflict, "the egress proxy's Service " + config_.proxy + " selects no pods");
  return found;
}

Result<Json> KubernetesRuntime::proxy_pods(const ProxyService& proxy) {
  std::string selector;
  for (const auto& [key, value] : proxy.selector)
    selector += (selector.empty() ? "" : "%2C") + key + "%3D" + value;
  return api_.get(pods() + "?labelSelector=" + selector);
}

Result<bool> KubernetesRuntime::proxy_ready(const ProxyService& proxy) {
  const auto list = TRY(proxy_pods(proxy));
  const auto& items = part(list, {"items"});
  return items.is_array() && std::any_of(items.begin(), items.end(), is_ready);
}

/// Made, or changed where it says another thing; a change that somebody else's got before is made again.
Status KubernetesRuntime::put_policy(const Json& policy) {
  const auto name = text_part(policy, {"metadata", "name"});
  Error last = fail(Errc::conflict, name);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto found = TRY(find(policies(), name));
    if (!found.is_null() && same_policy(found, policy)) return {};
    auto wanted = policy;
    if (!found.is_null())
      wanted["metadata"]["resourceVersion"] = part(found, {"metadata", "resourceVersion"});
    const auto put =
        found.is_null() ? api_.create(policies(), wanted) : api_.replace(policies() + "/" + name, wanted);
    if (put) return {};
    last = put.error();
    if (last.code != Errc::conflict && last.code != Errc::not_found) return last;
  }
  return last;
}

Status KubernetesRuntime::ensure_isolation(const BoxId& box) {
  const auto turn = turns_.take(box.text());
  return put_policy(box_policy(config_, box, TRY(proxy())));
}

/// Policies add up: one more that selects the box can only let more through.
Result<bool> KubernetesRuntime::opened_by_another(const BoxId& box) {
  const Json labels = {{kBoxLabel, box.text()}};
  const auto list = TRY(api_.get(policies()));
  const auto& items = part(list, {"items"});
  if (!items.is_array()) return fail(Errc::engine_refused, "the list of NetworkPolicies is no list");
  for (const auto& policy : items)
    if (text_part(policy, {"metadata", "name"}) != box_name(box) && opens(policy, labels)) return true;
  return false;
}

Result<bool> KubernetesRuntime::isolated(const BoxId& box) {
  const auto gate = TRY(proxy());
  const auto policy = TRY(find(policies(), box_name(box)));
  if (policy.is_null() || !same_policy(policy, box_policy(config_, box, gate))) return false;
  return !TRY(opened_by_another(box)) && TRY(proxy_ready(gate));
}

Result<std::string> KubernetesRuntime::proxy_url(const BoxId&) {
  const auto gate = TRY(proxy());
  const bool ipv6 = gate.cluster_ip.find(':') != std::string::npos;
  return "http://" + (ipv6 ? "[" + gate.cluster_ip + "]" : gate.cluster_ip) + ":" + std::to_string(gate.port);
}

}  // namespace berth::holder::boxes::kubernetes
