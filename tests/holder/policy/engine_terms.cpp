#include "tests/holder/policy/engine_terms.h"

#include <algorithm>
#include <map>

#include "base/json.h"

namespace berth::test {
namespace {

using Text = std::string;

/// Members whose value is the same in both languages.
const std::map<Text, Text>& same_value() {
  static const std::map<Text, Text> kSame = {
      {"Image", "image"}, {"Cmd", "command"}, {"Entrypoint", "entrypoint"}, {"WorkingDir", "working_dir"},
      {"User", "user"}, {"Hostname", "hostname"}, {"Tty", "tty"}, {"OpenStdin", "stdin_open"}, {"StopSignal", "stop_signal"},
      {"MacAddress", "mac_address"}, {"Privileged", "privileged"}, {"CapAdd", "cap_add"}, {"CapDrop", "cap_drop"},
      {"SecurityOpt", "security_opt"}, {"PidMode", "pid"}, {"IpcMode", "ipc"}, {"UTSMode", "uts"}, {"UsernsMode", "userns_mode"},
      {"CgroupnsMode", "cgroup"}, {"CgroupParent", "cgroup_parent"}, {"Runtime", "runtime"}, {"Sysctls", "sysctls"},
      {"GroupAdd", "group_add"}, {"VolumesFrom", "volumes_from"}, {"DeviceCgroupRules", "device_cgroup_rules"},
      {"Memory", "mem_limit"}, {"MemoryReservation", "mem_reservation"}, {"CpuShares", "cpu_shares"}, {"PidsLimit", "pids_limit"},
      {"ShmSize", "shm_size"}, {"OomScoreAdj", "oom_score_adj"}, {"ReadonlyRootfs", "read_only"}, {"Init", "init"},
      {"AutoRemove", "auto_remove"}, {"Dns", "dns"}, {"DnsSearch", "dns_search"}};
  return kSame;
}

/// Members that the functions below put into other words.
const std::map<Text, Text>& other_words() {
  static const std::map<Text, Text> kOther = {
      {"Env", "environment"}, {"Labels", "labels"}, {"Healthcheck", "healthcheck"}, {"StopTimeout", "stop_grace_period"},
      {"NetworkingConfig", "networks"}, {"Binds", "volumes"}, {"Mounts", "volumes"}, {"NetworkMode", "network"},
      {"PortBindings", "ports"}, {"ExtraHosts", "extra_hosts"}, {"NanoCpus", "cpus"}, {"Ulimits", "ulimits"},
      {"RestartPolicy", "restart"}, {"Devices", "devices"}, {"LogConfig", "logging"}, {"t", "timeout_s"}, {"v", "volumes"}, {"id", "container"}};
  return kOther;
}

Text snake_case(const Text& name) {
  Text out;
  for (const char c : name) {
    const bool capital = c >= 'A' && c <= 'Z';
    if (capital && !out.empty()) out += '_';
    out += capital ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

bool all_digits(const Text& text) { return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }); }

/// A number where it is one in plain decimal, else the text as it is.
Json number_or_text(const Text& text) {
  return all_digits(text) && text.size() < 10 && (text == "0" || text.front() != '0') ? Json(std::stoll(text)) : Json(text);
}

Text duration(std::int64_t ns) {
  if (ns % 1'000'000'000 == 0) return std::to_string(ns / 1'000'000'000) + "s";
  return ns % 1'000'000 == 0 ? std::to_string(ns / 1'000'000) + "ms" : std::to_string(ns / 1000) + "us";
}

/// A map where the list is one. Else, and where a bus caller names a thing twice, as it is.
Json environment(const Json& list, bool host) {
  Json map = Json::object();
  for (const auto& item : list.is_array() ? list : Json::array({Json(1)})) {
    const auto at = item.is_string() ? item.get<Text>().find('=') : Text::npos;
    if (at == Text::npos) return list;
    const auto name = item.get<Text>().substr(0, at);
    if (map.contains(name) && !host) return list;
    map[name] = item.get<Text>().substr(at + 1);
  }
  return map;
}

Json healthcheck(const Json& check) {
  Json ours = {{"test", check["Test"]}};
  for (const auto& [theirs, name] : {std::pair{"Interval", "interval"}, {"Timeout", "timeout"}, {"StartPeriod", "start_period"}}) {
    if (check.contains(theirs)) ours[name] = duration(check[theirs].get<std::int64_t>());
  }
  if (check.contains("Retries")) ours["retries"] = check["Retries"];
  return ours;
}

/// "/etc:/h:ro" of a path is a long bind. A bus caller's volume in that spelling stays the short form it is.
Json long_bind(const Text& line, bool host) {
  const auto first = line.find(':');
  const auto source = line.substr(0, first);
  const auto second = line.find(':', first + 1);
  if (!line.starts_with('/') && !host) return line;
  return {{"type", line.starts_with('/') ? "bind" : "volume"}, {"source", source},
          {"target", line.substr(first + 1, second == Text::npos ? second : second - first - 1)}, {"read_only", line.ends_with(":ro")}};
}

/// What a volume's options are in Compose's words.
void put_volume_options(const Json& options, Json& ours) {
  for (const auto& [key, value] : options.items()) {
    if (key == "DriverConfig") ours["driver_opts"] = value["Options"];
    else ours["volume"][snake_case(key)] = value;
  }
}

void put_tmpfs_options(const Json& options, Json& ours) {
  for (const auto& [key, value] : options.items()) {
    if (key == "SizeBytes") ours["tmpfs"]["size"] = value;
    else if (key != "Mode") ours["tmpfs"][snake_case(key)] = value;  // no caller of ours chooses the mode
  }
}

Json mount(const Json& theirs) {
  Json ours = Json::object();
  for (const auto& [key, value] : theirs.items()) {
    if (key == "VolumeOptions") put_volume_options(value, ours);
    else if (key == "TmpfsOptions") put_tmpfs_options(value, ours);
    else if (key == "BindOptions") ours["bind"] = value;
    else ours[key == "ReadOnly" ? "read_only" : snake_case(key)] = value;
  }
  return ours;
}

bool is_mode(const Text& mode) {
  static const std::initializer_list<Text> kModes = {"none", "host", "bridge", "slirp4netns", "pasta", "private"};
  return std::ranges::find(kModes, snake_case(mode)) != kModes.end() || mode == "Host" || mode.find(':') != Text::npos;
}

void put_network_mode(const Text& mode, Json& ours) {
  if (mode.empty() || mode == "default") ours["network_mode"] = "bridge";
  else if (is_mode(mode)) ours["network_mode"] = mode;
  else if (!ours.contains("networks")) ours["networks"] = Json::array({mode});
}

void put_endpoints(const Json& endpoints, Json& ours) {
  Json networks = Json::array();
  for (const auto& [name, settings] : endpoints.items()) {
    networks.push_back({{"name", name}});
    if (settings.contains("Aliases")) networks.back()["aliases"] = settings["Aliases"];
  }
  ours["networks"] = networks;
}

Json ports(const Json& bindings) {
  Json list = Json::array();
  for (const auto& [key, bound] : bindings.items()) {
    const auto slash = key.find('/');
    Json port = {{"target", slash == Text::npos ? Json(key) : number_or_text(key.substr(0, slash))}};
    if (slash != Text::npos) port["protocol"] = key.substr(slash + 1);
    if (bound.empty()) list.push_back(port);
    for (const auto& one : bound) {
      list.push_back(port);
      if (one.contains("HostPort")) list.back()["published"] = number_or_text(one["HostPort"].get<Text>());
      if (one.contains("HostIp")) list.back()["host_ip"] = one["HostIp"];
    }
  }
  return list;
}

Json hosts(const Json& list) {
  Json map = Json::object();
  for (const auto& item : list) {
    const auto line = item.get<Text>();
    map[line.substr(0, line.find(':'))] = line.substr(line.find(':') + 1);
  }
  return map;
}

Json ulimits(const Json& list) {
  Json map = Json::object();
  for (const auto& item : list) map[item["Name"].get<Text>()] = {{"soft", item["Soft"]}, {"hard", item["Hard"]}};
  return map;
}

Json restart(const Json& policy) {
  const auto name = policy.value("Name", "");
  const auto count = policy.value("MaximumRetryCount", 0);
  if (name.empty()) return "no";
  return count != 0 || name == "on-failure" ? Json(name + ":" + std::to_string(count)) : Json(name);
}

Json devices(const Json& list) {
  Json ours = Json::array();
  for (const auto& item : list) {
    ours.push_back(item["PathOnHost"].get<Text>() + ":" + item["PathInContainer"].get<Text>() + ":" + item["CgroupPermissions"].get<Text>());
  }
  return ours;
}

Json cpus(std::int64_t nano) {
  auto fraction = std::to_string(nano % 1'000'000'000);
  fraction.insert(0, 9 - fraction.size(), '0');
  return std::to_string(nano / 1'000'000'000) + "." + fraction;
}

void put_labels(const Json& labels, bool host, Json& ours) {
  ours["labels"] = labels;
  if (!host || !labels.is_object() || !labels.contains("mesh-host.id")) return;
  ours["assignment"] = labels["mesh-host.id"];
  ours["labels"].erase("mesh-host.id");
}

void put_volumes(const Text& key, const Json& list, bool host, Json& ours) {
  for (const auto& item : list) ours["volumes"].push_back(key == "Binds" ? long_bind(item.get<Text>(), host) : mount(item));
}

void put_member(const Text& key, const Json& value, bool host, Json& ours) {
  if (const auto same = same_value().find(key); same != same_value().end()) ours[same->second] = value;
  else if (value.is_null()) ours[other_words().contains(key) ? other_words().at(key) : snake_case(key)] = value;
  else if (key == "Env") ours["environment"] = environment(value, host);
  else if (key == "Labels") put_labels(value, host, ours);
  else if (key == "Healthcheck") ours["healthcheck"] = healthcheck(value);
  else if (key == "StopTimeout") ours["stop_grace_period"] = std::to_string(value.get<std::int64_t>()) + "s";
  else if (key == "NetworkingConfig") put_endpoints(value["EndpointsConfig"], ours);
  else if (key == "Binds" || key == "Mounts") put_volumes(key, value, host, ours);
  else if (key == "NetworkMode") put_network_mode(value.get<Text>(), ours);
  else if (key == "PortBindings") ours["ports"] = ports(value);
  else if (key == "ExtraHosts") ours["extra_hosts"] = hosts(value);
  else if (key == "NanoCpus") ours["cpus"] = cpus(value.get<std::int64_t>());
  else if (key == "Ulimits") ours["ulimits"] = ulimits(value);
  else if (key == "RestartPolicy") ours["restart"] = restart(value);
  else if (key == "Devices") ours["devices"] = devices(value);
  else if (key == "LogConfig") ours["logging"] = {{"driver", value["Type"]}, {"options", value["Config"]}};
  // The client's word for both of the engine's lists of hidden paths, emptied.
  else if (host && (key == "MaskedPaths" || key == "ReadonlyPaths")) ours["security_opt"] = {"systempaths=unconfined"};
  else ours[snake_case(key)] = value;
}

Json spec(const Json& intent, bool host) {
  Json ours = Json::object();
  const auto& body = intent["body"];
  for (const auto& [key, value] : body.items()) {
    if (key != "HostConfig") put_member(key, value, host, ours);
  }
  if (body.contains("HostConfig")) {
    for (const auto& [key, value] : body["HostConfig"].items()) put_member(key, value, host, ours);
  }
  for (const auto& [key, value] : intent["query"].items()) ours[snake_case(key)] = value;
  return ours;
}

Json other_verb(const Json& intent) {
  Json ours = Json::object();
  if (intent.contains("id")) ours["container"] = intent["id"];
  for (const auto* part : {"query", "body"}) {
    if (!intent.contains(part)) continue;
    for (const auto& [key, value] : intent[part].items()) {
      if (key == "all") continue;  // our list always is of all
      ours[other_words().contains(key) ? other_words().at(key) : snake_case(key)] = value;
    }
  }
  return ours;
}

}  // namespace

Json our_params(const std::string& verb, const Json& intent, bool host) {
  return verb == "create" ? spec(intent, host) : other_verb(intent);
}

std::string our_member(const std::string& engine_field) {
  auto name = engine_field;
  for (const auto* outer : {"HostConfig.", "query ", "query."}) {
    if (name.starts_with(outer)) name = name.substr(Text{outer}.size());
  }
  name = name.substr(0, name.find_first_of("[. "));
  if (const auto same = same_value().find(name); same != same_value().end()) return same->second;
  if (const auto other = other_words().find(name); other != other_words().end()) return other->second;
  return snake_case(name);
}

}  // namespace berth::test
