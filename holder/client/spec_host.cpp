#include "base/names.h"
#include "holder/client/spec_check.h"
#include "holder/client/spec_parts.h"
#include "holder/client/spec_text.h"
#include "holder/client/spec_words.h"

namespace berth::holder::client {
namespace {

bool is_of_another(std::string_view mode) {
  return mode.starts_with("container:") && ContainerRef::parse(mode.substr(10)).ok();
}

bool is_mode(std::string_view mode, std::initializer_list<std::string_view> words) {
  for (const auto word : words) {
    if (mode == word) return true;
  }
  return mode.empty();
}

Status check_namespaces(const ContainerSpec& spec) {
  TRY(must(is_mode(spec.network_mode, {"bridge", "none", "host"}) || is_of_another(spec.network_mode),
           "network_mode", "bridge, none, host or container:<name>"));
  TRY(must(is_mode(spec.pid, {"host"}) || is_of_another(spec.pid), "pid", "host or container:<name>"));
  TRY(must(is_mode(spec.ipc, {"host", "private", "shareable", "none"}) || is_of_another(spec.ipc), "ipc",
           "host, private, shareable, none or container:<name>"));
  TRY(must(is_mode(spec.uts, {"host"}), "uts", "host"));
  TRY(must(is_mode(spec.userns_mode, {"host"}), "userns_mode", "host"));
  return must(is_mode(spec.cgroup, {"host", "private"}), "cgroup", "host or private");
}

Status check_labels(const ContainerSpec& spec) {
  for (const auto& [key, value] : spec.labels) {
    const auto field = "labels[" + key + "]";
    TRY(must(!key.empty() && key.size() <= 255 && key.find('=') == std::string::npos &&
                 !has_control_characters(key),
             field, "a label's name without ="));
    // `assignment` sets the one, the holder the other.
    TRY(must(!key.starts_with("mesh-host.") && !key.starts_with("mesh-holder."), field,
             "left to the holder: give `assignment`"));
  }
  return {};
}

Status check_lists(const ContainerSpec& spec) {
  for (const auto* list : {&spec.devices, &spec.device_cgroup_rules, &spec.volumes_from, &spec.group_add,
                           &spec.security_opt, &spec.dns, &spec.dns_search}) {
    for (const auto& item : *list) {
      if (item.empty() || has_control_characters(item)) {
        return fail(Errc::bad_request,
                    "a list of the spec holds an empty text or one with control characters");
      }
    }
  }
  for (const auto* list : {&spec.cap_add, &spec.cap_drop}) {
    for (const auto& cap : *list) {
      TRY(must(is_capability(cap), list == &spec.cap_add ? "cap_add" : "cap_drop", "a list of capabilities"));
    }
  }
  return {};
}

}  // namespace

Status check_host_words(const ContainerSpec& spec) {
  TRY(check_namespaces(spec));
  TRY(check_labels(spec));
  TRY(check_lists(spec));
  TRY(must(spec.assignment.empty() || ModuleName::parse(spec.assignment).ok(), "assignment",
           "a module's name"));
  TRY(must(spec.replaces.empty() || ContainerRef::parse(spec.replaces).ok(), "replaces", "a container's id"));
  TRY(must(spec.mac_address.empty() || is_mac_address(spec.mac_address), "mac_address",
           "six hex bytes with colons"));
  TRY(must(spec.gpus.empty() || spec.gpus == "all" || parse_whole(spec.gpus).value_or(0) > 0, "gpus",
           "all or a count"));
  return must(!has_control_characters(spec.cgroup_parent) && !has_control_characters(spec.runtime),
              "cgroup_parent", "free of control characters");
}

}  // namespace berth::holder::client
