#include "holder/engine/create_body.h"

#include <charconv>

#include "base/json.h"
#include "holder/engine/words.h"

namespace berth::holder::engine {
namespace {

using client::ContainerSpec;

void put(Json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}
void put(Json& object, const char* key, const std::vector<std::string>& value) {
  if (!value.empty()) object[key] = value;
}
void put(Json& object, const char* key, const std::optional<std::int64_t>& value) {
  if (value) object[key] = *value;
}

/// "no", "always", "unless-stopped", "on-failure" or "on-failure:3".
Json restart_policy(const std::string& restart) {
  const auto colon = restart.find(':');
  int retries = 0;
  if (colon != std::string::npos)
    std::from_chars(restart.data() + colon + 1, restart.data() + restart.size(), retries);
  return {{"Name", restart.substr(0, colon)}, {"MaximumRetryCount", retries}};
}

void put_ports(const ContainerSpec& spec, Json& body, Json& host) {
  for (const auto& port : spec.ports) {
    const auto key = std::to_string(port.target) + "/" + port.protocol;
    body["ExposedPorts"][key] = Json::object();
    const auto published = port.published > 0 ? std::to_string(port.published) : std::string{};
    host["PortBindings"][key].push_back({{"HostIp", port.host_ip}, {"HostPort", published}});
  }
}

Json mount_of(const client::VolumeMount& volume) {
  Json mount = {{"Type", volume.type}, {"Target", volume.target}, {"ReadOnly", volume.read_only}};
  put(mount, "Source", volume.source);
  if (!volume.driver_opts.empty()) {
    mount["VolumeOptions"]["DriverConfig"] = {{"Name", "local"}, {"Options", volume.driver_opts}};
  }
  if (volume.type == "tmpfs") {
    mount["TmpfsOptions"]["Mode"] = 01777;  // Podman takes no mode for 0
    if (volume.tmpfs_size) mount["TmpfsOptions"]["SizeBytes"] = *volume.tmpfs_size;
  }
  return mount;
}

/// The engine's own socket, where programs look for one.
Json socket_mount(const std::string& engine_socket) {
  return {
      {"Type", "bind"}, {"Source", engine_socket}, {"Target", "/var/run/docker.sock"}, {"ReadOnly", false}};
}

Json healthcheck_of(const client::Healthcheck& check) {
  Json out = {{"Test", check.test}};
  put(out, "Interval", check.interval_ns);
  put(out, "Timeout", check.timeout_ns);
  put(out, "StartPeriod", check.start_period_ns);
  if (check.retries) out["Retries"] = *check.retries;
  return out;
}

void put_limits(const ContainerSpec& spec, Json& host) {
  put(host, "Memory", spec.mem_limit);
  put(host, "MemorySwap", spec.mem_limit);
  put(host, "MemoryReservation", spec.mem_reservation);
  put(host, "NanoCpus", spec.nano_cpus);
  put(host, "CpuShares", spec.cpu_shares);
  put(host, "PidsLimit", spec.pids_limit);
  put(host, "ShmSize", spec.shm_size);
  put(host, "OomScoreAdj", spec.oom_score_adj);
  for (const auto& [name, limit] : spec.ulimits) {
    host["Ulimits"].push_back({{"Name", name}, {"Soft", limit.soft}, {"Hard", limit.hard}});
  }
}

void put_namespaces(const ContainerSpec& spec, Json& host) {
  host["IpcMode"] = spec.ipc.empty() ? "private" : spec.ipc;
  host["CgroupnsMode"] = spec.cgroup.empty() ? "private" : spec.cgroup;
  put(host, "PidMode", spec.pid);
  put(host, "UTSMode", spec.uts);
  put(host, "UsernsMode", spec.userns_mode);
  put(host, "CgroupParent", spec.cgroup_parent);
  put(host, "Runtime", spec.runtime);
}

/// "host[:container[:permissions]]"
Json device_of(const std::string& device) {
  const auto first = device.find(':');
  const auto second = first == std::string::npos ? first : device.find(':', first + 1);
  const auto on_host = device.substr(0, first);
  const auto inside = first == std::string::npos ? on_host : device.substr(first + 1, second - first - 1);
  const auto permissions = second == std::string::npos ? std::string{"rwm"} : device.substr(second + 1);
  return {{"PathOnHost", on_host}, {"PathInContainer", inside}, {"CgroupPermissions", permissions}};
}

void put_devices(const ContainerSpec& spec, Json& host) {
  for (const auto& device : spec.devices) host["Devices"].push_back(device_of(device));
  put(host, "DeviceCgroupRules", spec.device_cgroup_rules);
  if (spec.gpus.empty()) return;
  int count = -1;  // "all"
  std::from_chars(spec.gpus.data(), spec.gpus.data() + spec.gpus.size(), count);
  host["DeviceRequests"] =
      Json::array({{{"Count", count}, {"Capabilities", Json::array({Json::array({"gpu"})})}}});
}

/// What Docker's own client makes of one word: the engine knows two lists of hidden paths, emptied. Podman takes
/// the word itself.
void put_security(const ContainerSpec& spec, Kind kind, Json& host) {
  auto options = spec.security_opt;
  const bool unconfined = kind == Kind::docker && std::erase(options, "systempaths=unconfined") > 0;
  if (unconfined) host["MaskedPaths"] = host["ReadonlyPaths"] = Json::array();
  put(host, "SecurityOpt", options);
}

void put_rights(const ContainerSpec& spec, Kind kind, Json& host) {
  if (spec.privileged) host["Privileged"] = true;
  put(host, "CapAdd", spec.cap_add);
  put(host, "CapDrop", spec.cap_drop);
  put_security(spec, kind, host);
  put(host, "GroupAdd", spec.group_add);
  put(host, "VolumesFrom", spec.volumes_from);
  if (!spec.sysctls.empty()) host["Sysctls"] = spec.sysctls;
}

/// Podman has no json-file: its k8s-file is the one it rotates, by size alone.
void put_logging(const ContainerSpec& spec, Kind kind, Json& host) {
  if (spec.logging_driver.empty()) return;
  auto driver = spec.logging_driver;
  auto options = spec.logging_options;
  if (kind == Kind::podman && driver == "json-file") {
    driver = "k8s-file";
    options.erase("max-file");
  }
  host["LogConfig"] = {{"Type", driver}, {"Config", options.empty() ? Json::object() : Json(options)}};
}

void put_names(const ContainerSpec& spec, Json& host) {
  put(host, "Dns", spec.dns);
  put(host, "DnsSearch", spec.dns_search);
  for (const auto& [name, address] : spec.extra_hosts) host["ExtraHosts"].push_back(name + ":" + address);
}

Json host_config(const ContainerSpec& spec, Kind kind, const std::string& engine_socket) {
  Json host = {{"NetworkMode", first_network(spec)}, {"RestartPolicy", restart_policy(spec.restart)}};
  for (const auto& volume : spec.volumes) host["Mounts"].push_back(mount_of(volume));
  if (spec.runtime_socket) host["Mounts"].push_back(socket_mount(engine_socket));
  if (spec.read_only) host["ReadonlyRootfs"] = true;
  if (spec.init) host["Init"] = true;
  if (spec.auto_remove) host["AutoRemove"] = true;
  put_limits(spec, host);
  put_namespaces(spec, host);
  put_devices(spec, host);
  put_rights(spec, kind, host);
  put_logging(spec, kind, host);
  put_names(spec, host);
  return host;
}

Json labels_of(const ContainerSpec& spec) {
  Json labels = Json::object();
  for (const auto& [key, value] : spec.labels) labels[key] = value;
  if (!spec.assignment.empty()) labels[std::string{kHeldLabel}] = spec.assignment;
  return labels;
}

void put_process(const ContainerSpec& spec, Json& body) {
  if (spec.command) body["Cmd"] = *spec.command;
  if (spec.entrypoint) body["Entrypoint"] = *spec.entrypoint;
  for (const auto& [name, value] : spec.environment) body["Env"].push_back(name + "=" + value);
  put(body, "User", spec.user);
  put(body, "WorkingDir", spec.working_dir);
  put(body, "Hostname", spec.hostname);
  put(body, "StopSignal", spec.stop_signal);
  put(body, "StopTimeout", spec.stop_grace_s);
  put(body, "MacAddress", spec.mac_address);
  if (spec.tty) body["Tty"] = true;
  if (spec.stdin_open) body["OpenStdin"] = true;
  if (spec.healthcheck) body["Healthcheck"] = healthcheck_of(*spec.healthcheck);
}

}  // namespace

std::string first_network(const ContainerSpec& spec) {
  if (!spec.network_mode.empty()) return spec.network_mode;
  return spec.networks.empty() ? "bridge" : spec.networks.front().name;
}

Json endpoint_settings(const client::NetworkJoin& join) {
  Json settings = Json::object();
  put(settings, "Aliases", join.aliases);
  return settings;
}

Json create_body(const ContainerSpec& spec, Kind kind, const std::string& engine_socket) {
  Json body = {{"Image", spec.image}, {"Labels", labels_of(spec)}};
  put_process(spec, body);
  auto host = host_config(spec, kind, engine_socket);
  put_ports(spec, body, host);
  body["HostConfig"] = std::move(host);
  if (spec.network_mode.empty() && !spec.networks.empty()) {
    const auto& first = spec.networks.front();
    body["NetworkingConfig"]["EndpointsConfig"][first.name] = endpoint_settings(first);
  }
  return body;
}

}  // namespace berth::holder::engine
