#include "holder/client/spec_compare_parts.h"

#include <algorithm>
#include <cctype>

namespace berth::holder::client {
namespace {

std::int64_t told_number(const Json& object, std::string_view key) {
  const auto& value = told_member(object, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

/// Of one port: an address left out is every address.
bool is_binding(const PublishedPort& port, const Json& binding) {
  const auto address = told_text(binding, "HostIp");
  const bool everywhere = address.empty() || address == "0.0.0.0" || address == "::";
  const bool same_address = port.host_ip.empty() || port.host_ip == "0.0.0.0" ? everywhere : address == port.host_ip;
  return same_address && (port.published == 0 || told_text(binding, "HostPort") == std::to_string(port.published));
}

bool has_mount(const Json& mounts, const VolumeMount& wanted) {
  if (!mounts.is_array()) return false;
  return std::ranges::any_of(mounts, [&](const Json& mount) {
    if (told_text(mount, "Destination") != wanted.target || told_text(mount, "Type") != wanted.type) return false;
    const auto source = told_text(mount, wanted.type == "volume" ? "Name" : "Source");
    const auto& writable = told_member(mount, "RW");
    return (wanted.source.empty() || source == wanted.source) && writable.is_boolean() &&
           writable.get<bool>() != wanted.read_only;
  });
}

/// Where an engine tells a tmpfs depends on how it was asked for.
bool has_tmpfs(const Told& told, const VolumeMount& wanted) {
  if (told_member(told_member(told.host, "Tmpfs"), wanted.target).is_string()) return true;
  for (const auto* list : {&told_member(told.whole, "Mounts"), &told_member(told.host, "Mounts")}) {
    if (!list->is_array()) continue;
    for (const auto& mount : *list) {
      const auto target = told_text(mount, "Destination") + told_text(mount, "Target");
      if (target == wanted.target && told_text(mount, "Type") == "tmpfs") return true;
    }
  }
  return false;
}

}  // namespace

const Json& told_member(const Json& object, std::string_view key) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto at = object.find(key);
  return at == object.end() ? kNull : *at;
}

std::string told_text(const Json& object, std::string_view key) {
  const auto& value = told_member(object, key);
  return value.is_string() ? value.get<std::string>() : std::string{};
}

bool told_flag(const Json& object, std::string_view key) {
  const auto& value = told_member(object, key);
  return value.is_boolean() && value.get<bool>();
}

/// No more and no fewer than the spec publishes.
bool same_ports(const ContainerSpec& spec, const Told& told) {
  const auto& bindings = told_member(told.host, "PortBindings");
  std::size_t told_count = 0;
  if (bindings.is_object()) {
    for (const auto& [key, list] : bindings.items()) told_count += list.is_array() ? list.size() : 0;
  }
  return told_count == spec.ports.size() && std::ranges::all_of(spec.ports, [&](const PublishedPort& port) {
    const auto& list = told_member(bindings, std::to_string(port.target) + "/" + port.protocol);
    return list.is_array() && std::ranges::any_of(list, [&](const Json& one) { return is_binding(port, one); });
  });
}

bool same_volumes(const ContainerSpec& spec, const Told& told) {
  return std::ranges::all_of(spec.volumes, [&](const VolumeMount& mount) {
    return mount.type == "tmpfs" ? has_tmpfs(told, mount) : has_mount(told_member(told.whole, "Mounts"), mount);
  });
}

bool same_socket(const ContainerSpec& spec, const Told& told) {
  const auto& mounts = told_member(told.whole, "Mounts");
  return !spec.runtime_socket || (mounts.is_array() && std::ranges::any_of(mounts, [](const Json& mount) {
    return told_text(mount, "Destination") == "/var/run/docker.sock" && told_text(mount, "Type") == "bind";
  }));
}

bool same_networks(const ContainerSpec& spec, const Told& told) {
  const auto& networks = told_member(told_member(told.whole, "NetworkSettings"), "Networks");
  return std::ranges::all_of(spec.networks, [&](const NetworkJoin& join) {
    const auto& there = told_member(networks, join.name);
    const auto& aliases = told_member(there, "Aliases");
    return there.is_object() && std::ranges::all_of(join.aliases, [&](const std::string& alias) {
      return aliases.is_array() && std::ranges::find(aliases, Json(alias)) != aliases.end();
    });
  });
}

bool same_network_mode(const ContainerSpec& spec, const Told& told) {
  const auto mode = told_text(told.host, "NetworkMode");
  if (spec.network_mode == "bridge" || (spec.network_mode.empty() && spec.networks.empty()))
    return mode == "bridge" || mode == "default";
  if (spec.network_mode.empty()) return mode != "host" && mode != "none" && !mode.starts_with("container:");
  return mode == spec.network_mode;
}

bool same_ulimits(const ContainerSpec& spec, const Told& told) {
  const auto& list = told_member(told.host, "Ulimits");
  return std::ranges::all_of(spec.ulimits, [&](const auto& wanted) {
    return list.is_array() && std::ranges::any_of(list, [&](const Json& one) {
      auto name = told_text(one, "Name");
      std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      return (name == wanted.first || name == "rlimit_" + wanted.first) &&
             told_number(one, "Soft") == wanted.second.soft && told_number(one, "Hard") == wanted.second.hard;
    });
  });
}

bool same_healthcheck(const ContainerSpec& spec, const Told& told) {
  if (!spec.healthcheck) return true;
  const auto& check = told_member(told.config, "Healthcheck");
  const auto same = [&](const char* key, const std::optional<std::int64_t>& wanted) {
    return !wanted || told_number(check, key) == *wanted;
  };
  const auto& retries = spec.healthcheck->retries;
  return told_member(check, "Test") == Json(spec.healthcheck->test) && same("Interval", spec.healthcheck->interval_ns) &&
         same("Timeout", spec.healthcheck->timeout_ns) && same("StartPeriod", spec.healthcheck->start_period_ns) &&
         (!retries || told_number(check, "Retries") == *retries);
}

/// An engine without json-file answers with its own of that kind.
bool same_logging(const ContainerSpec& spec, const Told& told) {
  if (spec.logging_driver.empty()) return true;
  const auto& config = told_member(told.host, "LogConfig");
  const auto type = told_text(config, "Type");
  const bool own_kind = spec.logging_driver == "json-file" && type == "k8s-file";
  if (type != spec.logging_driver && !own_kind) return false;
  return own_kind || std::ranges::all_of(spec.logging_options, [&](const auto& option) {
    return told_text(told_member(config, "Config"), option.first) == option.second;
  });
}

bool same_devices(const ContainerSpec& spec, const Told& told) {
  const auto& list = told_member(told.host, "Devices");
  const auto count = list.is_array() ? list.size() : 0;
  return count == spec.devices.size() && std::ranges::all_of(spec.devices, [&](const std::string& device) {
    return std::ranges::any_of(list, [&](const Json& one) {
      return told_text(one, "PathOnHost") == device.substr(0, device.find(':'));
    });
  });
}

}  // namespace berth::holder::client
