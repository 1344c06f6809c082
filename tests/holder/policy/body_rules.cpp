#include "tests/holder/policy/body_rules.h"

#include <algorithm>
#include <set>

#include "base/json.h"

namespace berth::test {
namespace {


using Dangers = std::vector<std::string>;
using Set = std::set<std::string>;

const Set kTop = {"Image", "Labels", "Cmd", "Entrypoint", "Env", "User", "WorkingDir", "Hostname", "StopSignal", "StopTimeout",
                  "Tty", "OpenStdin", "Healthcheck", "ExposedPorts", "HostConfig", "NetworkingConfig"};
const Set kHost = {"NetworkMode", "RestartPolicy", "Mounts", "ReadonlyRootfs", "Init", "AutoRemove", "Memory", "MemorySwap",
                   "MemoryReservation", "NanoCpus", "CpuShares", "PidsLimit", "ShmSize", "OomScoreAdj", "Ulimits", "IpcMode",
                   "CgroupnsMode", "CapAdd", "CapDrop", "SecurityOpt", "LogConfig", "Dns", "DnsSearch", "ExtraHosts", "PortBindings"};
const Set kMount = {"Type", "Source", "Target", "ReadOnly", "TmpfsOptions"};
const Set kMayAdd = {"CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "NET_BIND_SERVICE", "SETGID", "SETUID", "SETPCAP", "SYS_CHROOT"};

void only(const Json& object, const Set& known, const std::string& where, Dangers& found) {
  for (const auto& [key, value] : object.items()) {
    if (!known.contains(key)) found.push_back(where + " has " + key);
  }
}

std::string lowered(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

/// A text that Podman reads again: as a list with commas, with quotes, as key=value, as source:target.
bool has_syntax(const std::string& text) {
  return text.find_first_of(",:\"='\\") != std::string::npos || std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; });
}

bool lies_under(const std::string& path, const std::string& folder) { return path == folder || path.starts_with(folder + "/"); }

void judge_labels(const Json& labels, const std::string& caller, Dangers& found) {
  for (const auto& [key, value] : labels.items()) {
    if (key == "mesh-holder.caller" && value == caller) continue;
    const auto low = lowered(key);
    for (const auto* reserved : {"mesh", "berth", "boxes", "com.docker", "io.docker", "io.podman", "io.containers", "io.kubernetes"}) {
      const auto rest = low.starts_with(reserved) ? low.substr(std::string{reserved}.size()) : "";
      if (rest.starts_with('.') || (rest.starts_with('-') && low.starts_with("mesh"))) found.push_back("label " + key);
    }
    if (key != low || has_syntax(key)) found.push_back("label key " + key);
  }
  if (!labels.contains("mesh-holder.caller")) found.push_back("no caller's label");
}

void judge_mount(const Json& mount, Dangers& found) {
  only(mount, kMount, "a mount", found);
  const auto type = mount.value("Type", ""), source = mount.value("Source", ""), target = mount.value("Target", "");
  if (type != "volume" && type != "tmpfs") found.push_back("mount type " + type);
  if (type == "volume" && source.size() < 2) found.push_back("an anonymous volume");
  if (source.find('/') != std::string::npos || has_syntax(source) || source.starts_with('.')) found.push_back("mount source " + source);
  if (!target.starts_with('/') || target.size() < 2 || has_syntax(target) || target.find("/..") != std::string::npos) found.push_back("mount target " + target);
  for (const auto* kernels : {"/proc", "/sys", "/dev", "/run/secrets"}) {
    if (lies_under(target, kernels)) found.push_back("mount target " + target);
  }
  if (type == "tmpfs" && mount["TmpfsOptions"].value("SizeBytes", std::int64_t{0}) <= 0) found.push_back("a tmpfs without a bound");
}

void judge_rights(const Json& host, Dangers& found) {
  const auto drop = host.value("CapDrop", std::vector<std::string>{});
  const auto dropped = [&](const std::string& name) { return std::ranges::find(drop, name) != drop.end(); };
  for (const auto* name : {"MKNOD", "NET_RAW", "AUDIT_WRITE"}) {
    if (!dropped(name) && !dropped("ALL")) found.push_back(std::string{name} + " is kept");
  }
  for (const auto& added : host.value("CapAdd", std::vector<std::string>{})) {
    if (!kMayAdd.contains(added) || !dropped("ALL")) found.push_back("capability " + added);
  }
  if (host.value("SecurityOpt", Json()) != Json{"no-new-privileges:true"}) found.push_back("security options");
  if (host.value("IpcMode", "") != "private" || host.value("CgroupnsMode", "") != "private") found.push_back("a namespace of another's");
}

void judge_network(const Json& body, const Json& host, Dangers& found) {
  const auto mode = host.value("NetworkMode", "");
  static const Set kNotNames = {"", "host", "default", "container", "ns", "private", "pod", "slirp4netns", "pasta", "podman"};
  if (kNotNames.contains(lowered(mode)) || has_syntax(mode) || mode.find('/') != std::string::npos) found.push_back("network mode " + mode);
  if (!body.contains("NetworkingConfig")) return;
  for (const auto& [name, settings] : body["NetworkingConfig"]["EndpointsConfig"].items()) {
    if (name != mode || !settings.empty()) found.push_back("endpoint " + name);
  }
}

void judge_bounds(const Json& host, Dangers& found) {
  const auto within = [&](const char* key, std::int64_t low, std::int64_t high, bool needed) {
    if (!host.contains(key) && !needed) return;
    const auto value = host.value(key, std::int64_t{-1});
    if (value < low || value > high) found.push_back(std::string{key} + " " + std::to_string(value));
  };
  within("Memory", 6 << 20, std::int64_t{4} << 30, true);
  within("MemorySwap", 6 << 20, std::int64_t{4} << 30, true);
  within("NanoCpus", 10'000'000, 2'000'000'000, true);
  within("PidsLimit", 1, 4096, true);
  within("ShmSize", 4096, 1 << 30, true);
  within("OomScoreAdj", 0, 1000, false);
  within("CpuShares", 2, 1024, false);
}

void judge_ports(const Json& host, Dangers& found) {
  if (!host.contains("PortBindings")) return;
  for (const auto& [key, bindings] : host["PortBindings"].items()) {
    for (const auto& one : bindings) {
      const auto port = one.value("HostPort", "");
      const bool plain = !port.empty() && port.size() <= 5 && std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
      if (!plain || std::stoi(port) < 1024 || std::stoi(port) > 65535) found.push_back("host port " + port);
    }
    if (bindings.size() != 1) found.push_back("several bindings of " + key);
  }
}

void judge_process(const Json& body, Dangers& found) {
  for (const auto& line : body.value("Env", std::vector<std::string>{})) {
    const auto at = line.find('=');
    if (at == std::string::npos || at == 0 || line.find_first_of("* \n") < at) found.push_back("environment " + line.substr(0, 64));
  }
  const auto folder = body.value("WorkingDir", "/");
  if (!folder.starts_with('/') || folder.find("/..") != std::string::npos || lies_under(folder, "/proc") || lies_under(folder, "/sys")) {
    found.push_back("working directory " + folder);
  }
  for (const auto* key : {"User", "Hostname"}) {
    const auto value = body.value(key, "");
    if (std::ranges::any_of(value, [](char c) { return static_cast<unsigned char>(c) <= ' '; }) || value.starts_with('-')) found.push_back(std::string{key} + " " + value);
  }
  if (body.value("StopTimeout", 0) < 0 || body.value("StopTimeout", 0) > 120) found.push_back("stop timeout");
}

void judge_log(const Json& log, Dangers& found) {
  only(log, {"Type", "Config"}, "the log", found);
  if (log.value("Type", "") != "json-file" && log.value("Type", "") != "k8s-file") found.push_back("log driver");
  only(log.value("Config", Json::object()), {"max-size", "max-file"}, "the log", found);
}

}  // namespace

std::vector<std::string> dangers_in(const Json& body, const std::string& caller) {
  Dangers found;
  const auto& host = body.value("HostConfig", Json::object());
  only(body, kTop, "the body", found);
  only(host, kHost, "HostConfig", found);
  judge_labels(body.value("Labels", Json::object()), caller, found);
  for (const auto& mount : host.value("Mounts", Json::array())) judge_mount(mount, found);
  judge_rights(host, found);
  judge_network(body, host, found);
  judge_bounds(host, found);
  judge_ports(host, found);
  judge_process(body, found);
  judge_log(host.value("LogConfig", Json::object()), found);
  return found;
}

}  // namespace berth::test
