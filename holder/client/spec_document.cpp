#include "base/hash.h"
#include "base/json.h"
#include "holder/client/spec.h"
#include "holder/client/spec_text.h"

namespace berth::holder::client {
namespace {

/// Sets a member that is not its default.
template <class T>
void put(Json& out, const char* key, const T& value, const T& otherwise = {}) {
  if (value != otherwise) out[key] = value;
}
template <class T>
void put(Json& out, const char* key, const std::optional<T>& value) {
  if (value) out[key] = *value;
}
void put_duration(Json& out, const char* key, const std::optional<std::int64_t>& ns) {
  if (ns) out[key] = duration_text(*ns);
}

Json port_document(const PublishedPort& port) {
  Json out = {{"target", port.target}};
  put(out, "published", port.published);
  put(out, "protocol", port.protocol, std::string{"tcp"});
  put(out, "host_ip", port.host_ip);
  return out;
}

Json volume_document(const VolumeMount& mount) {
  Json out = {{"type", mount.type}, {"target", mount.target}};
  put(out, "source", mount.source);
  put(out, "read_only", mount.read_only);
  put(out, "driver_opts", mount.driver_opts);
  if (mount.tmpfs_size) out["tmpfs"] = {{"size", *mount.tmpfs_size}};
  return out;
}

Json network_document(const NetworkJoin& join) {
  if (join.aliases.empty()) return join.name;
  return {{"name", join.name}, {"aliases", join.aliases}};
}

Json healthcheck_document(const Healthcheck& check) {
  Json out = {{"test", check.test}};
  put_duration(out, "interval", check.interval_ns);
  put_duration(out, "timeout", check.timeout_ns);
  put_duration(out, "start_period", check.start_period_ns);
  put(out, "retries", check.retries);
  return out;
}

template <class T>
void put_list(Json& out, const char* key, const std::vector<T>& list, Json (*document)(const T&)) {
  for (const auto& item : list) out[key].push_back(document(item));
}

void put_what_runs(Json& out, const ContainerSpec& spec) {
  put(out, "name", spec.name);
  put(out, "image", spec.image);
  put(out, "command", spec.command);
  put(out, "entrypoint", spec.entrypoint);
  put(out, "environment", spec.environment);
  put(out, "labels", spec.labels);
  put(out, "user", spec.user);
  put(out, "working_dir", spec.working_dir);
  put(out, "hostname", spec.hostname);
  put(out, "stop_signal", spec.stop_signal);
  if (spec.stop_grace_s) out["stop_grace_period"] = duration_text(*spec.stop_grace_s * 1'000'000'000);
  put(out, "restart", spec.restart, std::string{"no"});
  put(out, "pull_policy", spec.pull_policy, std::string{"never"});
  if (spec.healthcheck) out["healthcheck"] = healthcheck_document(*spec.healthcheck);
}

void put_limits(Json& out, const ContainerSpec& spec) {
  put(out, "mem_limit", spec.mem_limit);
  put(out, "mem_reservation", spec.mem_reservation);
  if (spec.nano_cpus) out["cpus"] = cpus_text(*spec.nano_cpus);
  put(out, "cpu_shares", spec.cpu_shares);
  put(out, "pids_limit", spec.pids_limit);
  put(out, "shm_size", spec.shm_size);
  put(out, "oom_score_adj", spec.oom_score_adj);
  for (const auto& [name, limit] : spec.ulimits)
    out["ulimits"][name] = {{"soft", limit.soft}, {"hard", limit.hard}};
}

void put_surroundings(Json& out, const ContainerSpec& spec) {
  put_list(out, "ports", spec.ports, port_document);
  put_list(out, "volumes", spec.volumes, volume_document);
  put_list(out, "networks", spec.networks, network_document);
  put(out, "network_mode", spec.network_mode);
  put(out, "dns", spec.dns);
  put(out, "dns_search", spec.dns_search);
  put(out, "extra_hosts", spec.extra_hosts);
  put(out, "cap_drop", spec.cap_drop);
  put(out, "cap_add", spec.cap_add);
  put(out, "security_opt", spec.security_opt);
}

void put_switches(Json& out, const ContainerSpec& spec) {
  put(out, "read_only", spec.read_only);
  put(out, "init", spec.init);
  put(out, "tty", spec.tty);
  put(out, "stdin_open", spec.stdin_open);
  put(out, "auto_remove", spec.auto_remove);
  put(out, "start", spec.start, true);
}

void put_host_only(Json& out, const ContainerSpec& spec) {
  put(out, "privileged", spec.privileged);
  put(out, "runtime_socket", spec.runtime_socket);
  for (const auto& [key, value] : {std::pair{"pid", &spec.pid},
                                   {"ipc", &spec.ipc},
                                   {"uts", &spec.uts},
                                   {"userns_mode", &spec.userns_mode},
                                   {"cgroup", &spec.cgroup},
                                   {"cgroup_parent", &spec.cgroup_parent},
                                   {"runtime", &spec.runtime},
                                   {"mac_address", &spec.mac_address},
                                   {"gpus", &spec.gpus},
                                   {"assignment", &spec.assignment},
                                   {"replaces", &spec.replaces}}) {
    put(out, key, *value);
  }
  put(out, "devices", spec.devices);
  put(out, "device_cgroup_rules", spec.device_cgroup_rules);
  put(out, "volumes_from", spec.volumes_from);
  put(out, "group_add", spec.group_add);
  put(out, "sysctls", spec.sysctls);
  if (!spec.logging_driver.empty()) out["logging"]["driver"] = spec.logging_driver;
  if (!spec.logging_options.empty()) out["logging"]["options"] = spec.logging_options;
}

}  // namespace

Json spec_document(const ContainerSpec& spec) {
  Json out = Json::object();
  put_what_runs(out, spec);
  put_limits(out, spec);
  put_surroundings(out, spec);
  put_switches(out, spec);
  put_host_only(out, spec);
  return out;
}

std::string spec_hash(const ContainerSpec& spec) { return canonical_hash(spec_document(spec)); }

}  // namespace berth::holder::client
