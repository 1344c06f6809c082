#include "holder/policy/grants.h"

#include "base/fields.h"
#include "base/json.h"
#include "base/names.h"

namespace berth::holder::policy {
namespace {

std::string verb_of(std::string_view name) {
  constexpr std::string_view kTool = "docker_";
  return std::string{name.starts_with(kTool) ? name.substr(kTool.size()) : name};
}

}  // namespace

Result<Grants> Grants::parse(const Json& list, const std::string& path) {
  if (!list.is_array()) return fail_field(Errc::bad_request, path, path + " must be a list");
  Grants grants;
  std::size_t i = 0;
  for (const auto& item : list) {
    Fields fields{item, path + "[" + std::to_string(i++) + "]"};
    const auto caller = fields.text("caller");
    const auto verbs = fields.texts("verbs");
    const auto verb_class = fields.one_of("class", {"read", "act"}, "");
    TRY(fields.finish());
    TRY(CallerName::parse(caller));
    auto& granted = grants.callers_[caller];
    for (const auto& verb : verbs) (verb_class == "act" ? granted.act : granted.read).insert(verb_of(verb));
  }
  return grants;
}

bool Grants::allows(std::string_view caller, std::string_view verb, VerbClass verb_class) const {
  const auto at = callers_.find(caller);
  if (at == callers_.end()) return false;
  if (verb_class == VerbClass::act) return at->second.act.contains(verb);
  const auto& [read, act] = at->second;
  return read.contains(verb) || act.contains(verb) || read.contains("*") || act.contains("*");
}

}  // namespace berth::holder::policy
