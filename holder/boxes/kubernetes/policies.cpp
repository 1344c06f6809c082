#include <algorithm>

#include "base/json.h"
#include "holder/boxes/kubernetes/api.h"
#include "holder/boxes/kubernetes/objects.h"

// What a NetworkPolicy that is there lets through.
namespace berth::holder::boxes::kubernetes {
namespace {

/// Empty lists and absent ones mean the same, and a port's protocol is TCP when it says none.
Json rules_of(const Json& policy, const char* direction) {
  auto rules = part(policy, {"spec", direction});
  if (!rules.is_array()) return Json::array();
  for (auto& rule : rules) {
    if (!rule.is_object() || !rule.contains("ports") || !rule["ports"].is_array()) continue;
    for (auto& port : rule["ports"])
      if (port.is_object() && !port.contains("protocol")) port["protocol"] = "TCP";
  }
  return rules;
}

bool holds_expression(const Json& expression, const Json& labels) {
  const auto key = text_part(expression, {"key"});
  const auto kind = text_part(expression, {"operator"});
  const bool there = labels.is_object() && labels.contains(key);
  const auto& values = part(expression, {"values"});
  const bool listed =
      there && values.is_array() && std::find(values.begin(), values.end(), labels[key]) != values.end();
  if (kind == "Exists") return there;
  if (kind == "DoesNotExist") return !there;
  if (kind == "In") return listed;
  return kind != "NotIn" || !listed;  // one that is not known is taken for a match
}

bool selects(const Json& selector, const Json& labels) {
  if (!selector.is_object()) return true;
  const auto& wanted = part(selector, {"matchLabels"});
  if (wanted.is_object()) {
    for (const auto& [key, value] : wanted.items())
      if (!labels.is_object() || labels.value(key, Json{}) != value) return false;
  }
  const auto& expressions = part(selector, {"matchExpressions"});
  return !expressions.is_array() || std::all_of(expressions.begin(), expressions.end(), [&](const Json& one) {
    return holds_expression(one, labels);
  });
}

}  // namespace

bool same_policy(const Json& found, const Json& wanted) {
  const auto& types = part(found, {"spec", "policyTypes"});
  const auto judges = [&](const char* type) {
    return types.is_array() && std::find(types.begin(), types.end(), Json(type)) != types.end();
  };
  return judges("Ingress") && judges("Egress") &&
         part(found, {"spec", "podSelector"}) == part(wanted, {"spec", "podSelector"}) &&
         rules_of(found, "ingress") == rules_of(wanted, "ingress") &&
         rules_of(found, "egress") == rules_of(wanted, "egress");
}

bool opens(const Json& policy, const Json& labels) {
  const bool lets_through = !rules_of(policy, "ingress").empty() || !rules_of(policy, "egress").empty();
  return lets_through && selects(part(policy, {"spec", "podSelector"}), labels);
}

}  // namespace berth::holder::boxes::kubernetes
