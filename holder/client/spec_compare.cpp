#include "holder/client/spec_compare.h"

#include <algorithm>
#include <optional>
#include <set>

#include "holder/client/spec_compare_parts.h"

namespace berth::holder::client {
namespace {

using Texts = std::vector<std::string>;

bool same_text(const std::string& wanted, const Json& object, const char* key) {
  return wanted.empty() || told_text(object, key) == wanted;
}
bool same_number(const std::optional<std::int64_t>& wanted, const Json& object, const char* key) {
  const auto& value = told_member(object, key);
  return !wanted || (value.is_number_integer() && value.get<std::int64_t>() == *wanted);
}
bool same_list(const std::optional<Texts>& wanted, const Json& object, const char* key) {
  return !wanted || told_member(object, key) == Json(*wanted);
}
bool has_all(const Texts& wanted, const Json& list) {
  return std::ranges::all_of(wanted, [&](const std::string& text) {
    return list.is_array() && std::ranges::find(list, Json(text)) != list.end();
  });
}

/// Engines complete an image's name: "web" may be told as "docker.io/library/web:latest".
bool same_image(const ContainerSpec& spec, const Told& told) {
  auto image = told_text(told.config, "Image");
  const auto at = image.rfind(spec.image);
  if (at != std::string::npos && at > 0 && image[at - 1] == '/') image.erase(0, at);
  return image == spec.image || image == spec.image + ":latest";
}

bool same_environment(const ContainerSpec& spec, const Told& told) {
  Texts wanted;
  for (const auto& [name, value] : spec.environment) wanted.push_back(name + "=" + value);
  return has_all(wanted, told_member(told.config, "Env"));
}

bool same_labels(const ContainerSpec& spec, const Told& told) {
  const auto& labels = told_member(told.config, "Labels");
  return std::ranges::all_of(spec.labels,
                             [&](const auto& label) { return told_member(labels, label.first) == Json(label.second); });
}

/// Podman tells a number.
bool same_stop_signal(const ContainerSpec& spec, const Told& told) {
  const auto signal = told_text(told.config, "StopSignal");
  return spec.stop_signal.empty() || signal == spec.stop_signal ||
         (!signal.empty() && signal.find_first_not_of("0123456789") == std::string::npos);
}

bool same_restart(const ContainerSpec& spec, const Told& told) {
  const auto& policy = told_member(told.host, "RestartPolicy");
  auto name = told_text(policy, "Name");
  if (name.empty()) name = "no";
  const auto colon = spec.restart.find(':');
  if (name != spec.restart.substr(0, colon)) return false;
  return colon == std::string::npos ||
         told_member(policy, "MaximumRetryCount").dump() == spec.restart.substr(colon + 1);
}

std::set<std::string> capabilities(const Json& list) {
  std::set<std::string> names;
  if (!list.is_array()) return names;
  for (const auto& one : list) {
    auto name = one.is_string() ? one.get<std::string>() : std::string{};
    if (name.starts_with("CAP_")) name.erase(0, 4);
    names.insert(std::move(name));
  }
  return names;
}

/// Told as added, or among those that it has (where the engine tells them: its own default may have given it);
/// and no other added.
bool same_added(const ContainerSpec& spec, const Told& told) {
  const auto wanted = capabilities(Json(spec.cap_add));
  const auto added = capabilities(told_member(told.host, "CapAdd"));
  const auto has = capabilities(told_member(told.whole, "BoundingCaps"));
  return std::ranges::includes(wanted, added) && std::ranges::all_of(wanted, [&](const std::string& one) {
    return added.contains(one) || has.contains(one);
  });
}

/// Told as dropped, or not among those that it has.
bool is_without(const ContainerSpec& spec, const Told& told) {
  const auto gone = capabilities(told_member(told.host, "CapDrop"));
  const auto& bounding = told_member(told.whole, "BoundingCaps");
  const auto has = capabilities(bounding);
  const bool none_but_added = bounding.is_array() && std::ranges::includes(capabilities(Json(spec.cap_add)), has);
  return std::ranges::all_of(capabilities(Json(spec.cap_drop)), [&](const std::string& one) {
    if (gone.contains(one)) return true;
    return one == "ALL" ? none_but_added : bounding.is_array() && !has.contains(one);
  });
}

bool same_extra_hosts(const ContainerSpec& spec, const Told& told) {
  Texts wanted;
  for (const auto& [name, address] : spec.extra_hosts) wanted.push_back(name + ":" + address);
  return has_all(wanted, told_member(told.host, "ExtraHosts"));
}

bool same_sysctls(const ContainerSpec& spec, const Told& told) {
  const auto& sysctls = told_member(told.host, "Sysctls");
  return std::ranges::all_of(spec.sysctls,
                             [&](const auto& one) { return told_member(sysctls, one.first) == Json(one.second); });
}

/// One that shares another's, where the spec asks for its own, is more than was asked for.
bool same_namespace(const std::string& wanted, const Json& host, const char* key) {
  const auto mode = told_text(host, key);
  return wanted.empty() ? mode != "host" && !mode.starts_with("container:") : mode == wanted;
}

bool same_gpus(const ContainerSpec& spec, const Told& told) {
  const auto& requests = told_member(told.host, "DeviceRequests");
  const bool has = requests.is_array() && !requests.empty();
  return has == !spec.gpus.empty();
}

struct Row {
  const char* member;
  bool (*same)(const ContainerSpec& spec, const Told& told);
};

#define BERTH_SAME [](const ContainerSpec& s, const Told& t) -> bool
constexpr Row kRows[] = {
    {"image", same_image},
    {"command", BERTH_SAME { return same_list(s.command, t.config, "Cmd"); }},
    {"entrypoint", BERTH_SAME { return same_list(s.entrypoint, t.config, "Entrypoint"); }},
    {"environment", same_environment},
    {"labels", same_labels},
    {"user", BERTH_SAME { return same_text(s.user, t.config, "User"); }},
    {"working_dir", BERTH_SAME { return same_text(s.working_dir, t.config, "WorkingDir"); }},
    {"hostname", BERTH_SAME { return same_text(s.hostname, t.config, "Hostname"); }},
    {"stop_signal", same_stop_signal},
    {"stop_grace_period", BERTH_SAME { return same_number(s.stop_grace_s, t.config, "StopTimeout"); }},
    {"restart", same_restart},
    {"ports", same_ports},
    {"volumes", same_volumes},
    {"networks", same_networks},
    {"network_mode", same_network_mode},
    {"mem_limit", BERTH_SAME { return same_number(s.mem_limit, t.host, "Memory"); }},
    {"mem_reservation", BERTH_SAME { return same_number(s.mem_reservation, t.host, "MemoryReservation"); }},
    {"cpus", BERTH_SAME { return same_number(s.nano_cpus, t.host, "NanoCpus"); }},
    {"cpu_shares", BERTH_SAME { return same_number(s.cpu_shares, t.host, "CpuShares"); }},
    {"pids_limit", BERTH_SAME { return same_number(s.pids_limit, t.host, "PidsLimit"); }},
    {"shm_size", BERTH_SAME { return same_number(s.shm_size, t.host, "ShmSize"); }},
    {"oom_score_adj", BERTH_SAME { return same_number(s.oom_score_adj, t.host, "OomScoreAdj"); }},
    {"ulimits", same_ulimits},
    {"healthcheck", same_healthcheck},
    {"read_only", BERTH_SAME { return s.read_only == told_flag(t.host, "ReadonlyRootfs"); }},
    {"init", BERTH_SAME { return s.init == told_flag(t.host, "Init"); }},
    {"tty", BERTH_SAME { return s.tty == told_flag(t.config, "Tty"); }},
    {"stdin_open", BERTH_SAME { return s.stdin_open == told_flag(t.config, "OpenStdin"); }},
    {"auto_remove", BERTH_SAME { return s.auto_remove == told_flag(t.host, "AutoRemove"); }},
    {"privileged", BERTH_SAME { return s.privileged == told_flag(t.host, "Privileged"); }},
    {"cap_add", same_added},
    {"cap_drop", is_without},
    {"security_opt", BERTH_SAME { return has_all(s.security_opt, told_member(t.host, "SecurityOpt")); }},
    {"dns", BERTH_SAME { return has_all(s.dns, told_member(t.host, "Dns")); }},
    {"dns_search", BERTH_SAME { return has_all(s.dns_search, told_member(t.host, "DnsSearch")); }},
    {"extra_hosts", same_extra_hosts},
    {"pid", BERTH_SAME { return same_namespace(s.pid, t.host, "PidMode"); }},
    {"ipc", BERTH_SAME { return same_namespace(s.ipc, t.host, "IpcMode"); }},
    {"uts", BERTH_SAME { return same_namespace(s.uts, t.host, "UTSMode"); }},
    {"userns_mode", BERTH_SAME { return same_text(s.userns_mode, t.host, "UsernsMode"); }},
    {"cgroup", BERTH_SAME { return same_text(s.cgroup, t.host, "CgroupnsMode"); }},
    {"cgroup_parent", BERTH_SAME { return same_text(s.cgroup_parent, t.host, "CgroupParent"); }},
    {"runtime", BERTH_SAME { return same_text(s.runtime, t.host, "Runtime"); }},
    {"mac_address", BERTH_SAME { return same_text(s.mac_address, t.config, "MacAddress"); }},
    {"devices", same_devices},
    {"device_cgroup_rules",
     BERTH_SAME { return has_all(s.device_cgroup_rules, told_member(t.host, "DeviceCgroupRules")); }},
    {"gpus", same_gpus},
    {"volumes_from", BERTH_SAME { return has_all(s.volumes_from, told_member(t.host, "VolumesFrom")); }},
    {"group_add", BERTH_SAME { return has_all(s.group_add, told_member(t.host, "GroupAdd")); }},
    {"sysctls", same_sysctls},
    {"logging", same_logging},
    {"runtime_socket", same_socket},
    {"assignment",
     BERTH_SAME { return same_text(s.assignment, told_member(t.config, "Labels"), "mesh-host.id"); }},
};
#undef BERTH_SAME

}  // namespace

std::vector<std::string> spec_differences(const ContainerSpec& spec, const Json& inspected) {
  const Told told{inspected, told_member(inspected, "Config"), told_member(inspected, "HostConfig")};
  std::vector<std::string> members;
  for (const auto& row : kRows) {
    if (!row.same(spec, told)) members.emplace_back(row.member);
  }
  return members;
}

}  // namespace berth::holder::client
