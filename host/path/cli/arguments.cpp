#include "host/path/cli/arguments.h"

namespace berth::host::path::cli {
namespace {

using holder::client::ContainerSpec;

void option(Arguments& out, std::string_view name, const std::string& value) {
  if (value.empty()) return;
  out.emplace_back(name);
  out.push_back(value);
}

void option(Arguments& out, std::string_view name, const std::optional<std::int64_t>& value,
            std::string_view unit = "") {
  if (value) option(out, name, std::to_string(*value) + std::string{unit});
}

void options(Arguments& out, std::string_view name, const std::vector<std::string>& values) {
  for (const auto& value : values) option(out, name, value);
}

void options(Arguments& out, std::string_view name, const std::map<std::string, std::string>& values,
             char between = '=') {
  for (const auto& [key, value] : values) option(out, name, key + between + value);
}

void flag(Arguments& out, std::string_view name, bool on) {
  if (on) out.emplace_back(name);
}

/// `--mount` is read as one line of CSV: a field with a comma or a quote must be quoted.
std::string csv_field(const std::string& field) {
  if (field.find_first_of(",\"\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? std::string{"\"\""} : std::string{c};
  return quoted + "\"";
}

std::string mount_text(const holder::client::VolumeMount& mount) {
  std::string text = "type=" + mount.type;
  if (!mount.source.empty()) text += "," + csv_field("source=" + mount.source);
  text += "," + csv_field("target=" + mount.target);
  if (mount.read_only) text += ",readonly";
  if (mount.tmpfs_size) text += ",tmpfs-size=" + std::to_string(*mount.tmpfs_size);
  return text;
}

std::string port_text(const holder::client::PublishedPort& port) {
  std::string ip = port.host_ip;
  if (ip.find(':') != std::string::npos) ip = "[" + ip + "]";
  std::string text = ip.empty() ? "" : ip + ":";
  if (port.published != 0)
    text += std::to_string(port.published) + ":";
  else if (!ip.empty())
    text += ":";
  return text + std::to_string(port.target) + "/" + port.protocol;
}

Status put_healthcheck(Arguments& out, const ContainerSpec& spec) {
  if (!spec.healthcheck) return {};
  const auto& check = *spec.healthcheck;
  if (check.test.size() == 1 && check.test[0] == "NONE") {
    out.emplace_back("--no-healthcheck");
    return {};
  }
  if (!check.test.empty() && (check.test[0] != "CMD-SHELL" || check.test.size() != 2)) {
    return fail_field(
        Errc::bad_request, "healthcheck.test",
        "the runtime's command line can only make a CMD-SHELL health check of container " + spec.name);
  }
  if (!check.test.empty()) option(out, "--health-cmd", check.test[1]);
  option(out, "--health-interval", check.interval_ns, "ns");
  option(out, "--health-timeout", check.timeout_ns, "ns");
  option(out, "--health-start-period", check.start_period_ns, "ns");
  if (check.retries) option(out, "--health-retries", std::int64_t{*check.retries});
  return {};
}

void put_identity(Arguments& out, const ContainerSpec& spec) {
  option(out, "--name", spec.name);
  options(out, "--label", spec.labels);
  if (!spec.assignment.empty()) option(out, "--label", "mesh-host.id=" + spec.assignment);
  for (const auto& [key, value] : spec.environment) option(out, "--env", key + "=" + value);
  option(out, "--user", spec.user);
  option(out, "--workdir", spec.working_dir);
  option(out, "--hostname", spec.hostname);
  option(out, "--stop-signal", spec.stop_signal);
  option(out, "--stop-timeout", spec.stop_grace_s);
  option(out, "--restart", spec.restart);
  option(out, "--pull", spec.pull_policy);
  flag(out, "--rm", spec.auto_remove);
  flag(out, "--init", spec.init);
  flag(out, "--tty", spec.tty);
  flag(out, "--interactive", spec.stdin_open);
  flag(out, "--read-only", spec.read_only);
}

void put_network(Arguments& out, const ContainerSpec& spec) {
  for (const auto& port : spec.ports) option(out, "--publish", port_text(port));
  option(out, "--network", spec.networks.empty() ? spec.network_mode : spec.networks.front().name);
  if (!spec.networks.empty()) options(out, "--network-alias", spec.networks.front().aliases);
  option(out, "--mac-address", spec.mac_address);
  options(out, "--dns", spec.dns);
  options(out, "--dns-search", spec.dns_search);
  options(out, "--add-host", spec.extra_hosts, ':');
}

void put_storage(Arguments& out, const ContainerSpec& spec) {
  for (const auto& mount : spec.volumes) option(out, "--mount", mount_text(mount));
  options(out, "--volumes-from", spec.volumes_from);
  // The command line speaks to the socket it was pointed at; the same one is mounted.
  if (spec.runtime_socket)
    option(out, "--mount", "type=bind,source=/var/run/docker.sock,target=/var/run/docker.sock");
}

void put_bounds(Arguments& out, const ContainerSpec& spec) {
  option(out, "--memory", spec.mem_limit);
  option(out, "--memory-reservation", spec.mem_reservation);
  if (spec.nano_cpus) {
    const auto nanos = std::to_string(*spec.nano_cpus % 1'000'000'000);
    option(
        out, "--cpus",
        std::to_string(*spec.nano_cpus / 1'000'000'000) + "." + std::string(9 - nanos.size(), '0') + nanos);
  }
  option(out, "--cpu-shares", spec.cpu_shares);
  option(out, "--pids-limit", spec.pids_limit);
  option(out, "--shm-size", spec.shm_size);
  option(out, "--oom-score-adj", spec.oom_score_adj);
  for (const auto& [name, bound] : spec.ulimits) {
    option(out, "--ulimit", name + "=" + std::to_string(bound.soft) + ":" + std::to_string(bound.hard));
  }
}

void put_rights(Arguments& out, const ContainerSpec& spec) {
  flag(out, "--privileged", spec.privileged);
  options(out, "--cap-drop", spec.cap_drop);
  options(out, "--cap-add", spec.cap_add);
  options(out, "--security-opt", spec.security_opt);
  option(out, "--pid", spec.pid);
  option(out, "--ipc", spec.ipc);
  option(out, "--uts", spec.uts);
  option(out, "--userns", spec.userns_mode);
  option(out, "--cgroupns", spec.cgroup);
  option(out, "--cgroup-parent", spec.cgroup_parent);
  option(out, "--runtime", spec.runtime);
  option(out, "--gpus", spec.gpus);
  options(out, "--device", spec.devices);
  options(out, "--device-cgroup-rule", spec.device_cgroup_rules);
  options(out, "--group-add", spec.group_add);
  options(out, "--sysctl", spec.sysctls);
  option(out, "--log-driver", spec.logging_driver);
  options(out, "--log-opt", spec.logging_options);
}

/// The command line takes one word as entry point; its further words go before the command.
void put_command(Arguments& out, const ContainerSpec& spec) {
  Arguments words;
  if (spec.entrypoint) {
    out.emplace_back("--entrypoint");
    out.push_back(spec.entrypoint->empty() ? "" : spec.entrypoint->front());
    for (std::size_t i = 1; i < spec.entrypoint->size(); ++i) words.push_back((*spec.entrypoint)[i]);
  }
  if (spec.command) words.insert(words.end(), spec.command->begin(), spec.command->end());
  out.emplace_back("--");
  out.push_back(spec.image);
  out.insert(out.end(), words.begin(), words.end());
}

}  // namespace

Result<Arguments> create_arguments(const ContainerSpec& spec) {
  Arguments out{"create"};
  put_identity(out, spec);
  TRY(put_healthcheck(out, spec));
  put_network(out, spec);
  put_storage(out, spec);
  put_bounds(out, spec);
  put_rights(out, spec);
  put_command(out, spec);
  return out;
}

}  // namespace berth::host::path::cli
