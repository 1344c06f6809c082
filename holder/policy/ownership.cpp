#include "holder/policy/ownership.h"

#include "holder/policy/labels.h"

namespace berth::holder::policy {
namespace {

Status judge_owner(const std::map<std::string, std::string>& labels, const std::string& caller,
                   const std::string& field) {
  if (const auto held = labels.find(std::string{kHeldLabel}); held != labels.end()) {
    auto error =
        fail_field(Errc::refused_held, field, field + " belongs to assignment \"" + held->second + "\"");
    error.assignment = held->second;
    return error;
  }
  const auto owner = labels.find(std::string{kCallerLabel});
  if (owner != labels.end() && owner->second == caller) return {};
  return fail_field(Errc::not_granted, field, field + " is not this caller's own");
}

}  // namespace

Status judge_network(const engine::Engine::Network& network, const std::string& caller,
                     const std::string& field) {
  TRY(judge_owner(network.labels, caller, field));
  if (network.driver == "bridge") return {};
  return fail_field(Errc::bad_request, field,
                    field + " is a network of driver " + network.driver + ", not a bridge");
}

Status judge_volume(const engine::Engine::Volume& volume, const std::string& caller,
                    const std::string& field) {
  if (volume.driver != "local" || !volume.options.empty()) {
    auto error = fail_field(
        Errc::refused_root_equivalent, field,
        field + " is a volume with a driver or options of its own: it can be a path of the machine");
    error.fields = {field};
    return error;
  }
  return judge_owner(volume.labels, caller, field);
}

}  // namespace berth::holder::policy
