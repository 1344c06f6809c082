#include "catalogue/verbs.h"

#include <algorithm>
#include <array>

namespace berth::catalogue {
std::string verb_of_tool(const Manifest& module, const std::string& tool) {
  const auto prefix = module.name + "_";
  return tool.starts_with(prefix) ? tool.substr(prefix.size()) : tool;
}

// The holder's verb table is the truth; the catalogue may not include the holder, so the verbs that change
// something stand here again. signal is the host's alone and never on the bus.
std::string_view class_of_verb(std::string_view verb) {
  static constexpr std::array<std::string_view, 7> kActs = {"create", "prune", "remove", "restart",
                                                            "signal", "start", "stop"};
  return std::ranges::find(kActs, verb) == kActs.end() ? "read" : "act";
}

std::set<std::string> served_verbs(const Manifest& manifest) {
  std::set<std::string> verbs;
  for (const auto& claim : manifest.claims) verbs.insert(claim.verbs.begin(), claim.verbs.end());
  for (const auto& tool : manifest.tools) verbs.insert(verb_of_tool(manifest, tool));
  return verbs;
}

std::optional<std::string> own_name_of(std::string_view name,
                                       const std::map<std::string, Manifest>& manifests) {
  const std::string text{name};
  if (text == "*") return text;
  for (const auto& [module, manifest] : manifests) {
    if (served_verbs(manifest).contains(text)) return text;
    if (std::ranges::find(manifest.tools, text) != manifest.tools.end()) return verb_of_tool(manifest, text);
  }
  return std::nullopt;
}

}  // namespace berth::catalogue
