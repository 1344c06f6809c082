#include "tests/holder/policy/read_back_rules.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "base/json.h"

namespace berth::test {
namespace {


using Differences = std::vector<std::string>;

bool is_nothing(const Json& value) { return value.is_null() || value == "" || value == false || value == 0 || (value.is_structured() && value.empty()); }

/// A member of an object, null where there is none.
Json member(const Json& object, const std::string& key) { return object.is_object() ? object.value(key, Json()) : Json(); }

void same(const std::string& where, const Json& asked, const Json& seen, Differences& found) {
  if (asked == seen || (is_nothing(asked) && is_nothing(seen))) return;
  found.push_back(where + " is " + seen.dump() + ", asked for was " + asked.dump());
}

/// What was asked for is there; the engine may say more.
void within(const std::string& where, const Json& asked, const Json& seen, Differences& found) {
  if (!asked.is_object()) return same(where, asked, seen, found);
  for (const auto& [key, value] : asked.items()) within(where + "." + key, value, member(seen, key), found);
}

std::set<std::string> words(const Json& list) {
  std::set<std::string> all;
  for (const auto& item : list.is_array() ? list : Json::array()) {
    const auto word = item.get<std::string>();
    all.insert(word.starts_with("CAP_") ? word.substr(4) : word);
  }
  return all;
}

void holds_all(const std::string& where, const Json& asked, const Json& seen, Differences& found) {
  const auto there = words(seen);
  for (const auto& word : words(asked)) {
    if (!there.contains(word)) found.push_back(where + " lacks " + word);
  }
}

/// The last of a name counts.
Json environment(const Json& lines) {
  std::map<std::string, std::string> last;
  for (const auto& line : lines) last[line.get<std::string>().substr(0, line.get<std::string>().find('='))] = line.get<std::string>();
  Json all = Json::array();
  for (const auto& [name, line] : last) all.push_back(line);
  return all;
}

/// Podman says signals as numbers in some releases.
void same_signal(const Json& asked, const Json& seen, Differences& found) {
  static const std::vector<std::pair<std::string, int>> kNumbers = {{"SIGINT", 2}, {"SIGQUIT", 3}, {"SIGKILL", 9}, {"SIGUSR1", 10}, {"SIGUSR2", 12}, {"SIGTERM", 15}};
  const auto number = std::ranges::find(kNumbers, asked.get<std::string>(), &std::pair<std::string, int>::first);
  const bool as_number = number != kNumbers.end() && (seen == number->second || seen == std::to_string(number->second));
  if (!as_number) same("StopSignal", asked, seen, found);
}

/// Podman 4.3 takes a check's words apart at blanks: the same words, one by one.
Json words_apart(const Json& list) {
  Json all = Json::array();
  for (const auto& item : list) {
    std::istringstream line{item.get<std::string>()};
    for (std::string word; line >> word;) all.push_back(word);
  }
  return all;
}

void healthcheck(Json asked, Json seen, Differences& found) {
  if (is_nothing(seen)) return same("Healthcheck.Test", asked["Test"], Json{"NONE"}, found);
  same("Healthcheck.Test", words_apart(asked["Test"]), words_apart(seen["Test"]), found);
  asked.erase("Test");
  within("Healthcheck", asked, seen, found);
}

void config(const Json& asked, const Json& seen, Differences& found) {
  static const std::set<std::string> kElsewhere = {"HostConfig", "Image", "NetworkingConfig"};
  for (const auto& [key, value] : asked.items()) {
    if (kElsewhere.contains(key) || value.is_null()) continue;
    const auto said = member(seen, key);
    if (key == "Env") holds_all(key, environment(value), said, found);
    else if (key == "StopSignal") same_signal(value, said, found);
    else if (key == "Healthcheck") healthcheck(value, said, found);
    else within(key, value, said, found);
  }
}

struct Mounted {
  std::string type, source, target;
  bool read_only = false;
};

Mounted of_bind(const std::string& line) {
  const auto first = line.find(':'), second = line.find(':', first + 1);
  return {line.starts_with('/') ? "bind" : "volume", line.substr(0, first), line.substr(first + 1, second == std::string::npos ? second : second - first - 1), line.ends_with(":ro")};
}

Mounted of_mount(const Json& mount) {
  return {mount.value("Type", ""), mount.value("Source", ""), mount.value("Target", ""), mount.value("ReadOnly", false)};
}

/// A tmpfs is in Docker's own list of what was asked for, and in Podman's map of them.
bool has_tmpfs(const Mounted& asked, const Json& seen) {
  const auto& host = seen["HostConfig"];
  const auto map = member(host, "Tmpfs"), list = member(host, "Mounts");
  if (map.is_object() && map.contains(asked.target)) return true;
  return list.is_array() && std::ranges::any_of(list, [&](const Json& m) { return m.value("Target", "") == asked.target && m.value("Type", "") == "tmpfs"; });
}

bool has_mount(const Mounted& asked, const Json& seen) {
  if (asked.type == "tmpfs") return has_tmpfs(asked, seen);
  return std::ranges::any_of(seen["Mounts"], [&](const Json& m) {
    const auto source = asked.type == "volume" ? m.value("Name", "") : m.value("Source", "");
    return m.value("Type", "") == asked.type && source == asked.source && m.value("Destination", "") == asked.target && m.value("RW", true) == !asked.read_only;
  });
}

void mounts(const Json& host, const Json& seen, Differences& found) {
  std::vector<Mounted> asked;
  for (const auto& line : host.value("Binds", Json::array())) asked.push_back(of_bind(line.get<std::string>()));
  for (const auto& mount : host.value("Mounts", Json::array())) asked.push_back(of_mount(mount));
  for (const auto& one : asked) {
    if (!has_mount(one, seen)) found.push_back("no " + one.type + " " + one.source + " at " + one.target + " in " + seen["Mounts"].dump());
  }
}

void ports(const Json& asked, const Json& seen, Differences& found) {
  for (const auto& [key, bound] : asked.items()) {
    const auto said = member(seen, key);
    same("PortBindings " + key, bound.front()["HostPort"], said.is_array() && !said.empty() ? said.front()["HostPort"] : Json(), found);
  }
}

void ulimits(const Json& asked, const Json& seen, Differences& found) {
  for (const auto& one : asked) {
    const auto is_it = [&](const Json& s) {
      auto name = s.value("Name", "");
      std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
      return name.ends_with(one["Name"].get<std::string>()) && s["Soft"] == one["Soft"] && s["Hard"] == one["Hard"];
    };
    if (!seen.is_array() || std::ranges::none_of(seen, is_it)) found.push_back("no ulimit " + one.dump() + " in " + seen.dump());
  }
}

void mode(const Json& asked, const Json& seen, Differences& found) {
  const auto mode = asked == "default" ? Json("bridge") : asked;
  // The name of a container is its id by the time it is read.
  if (mode.get<std::string>().starts_with("container:") && seen.is_string() && seen.get<std::string>().starts_with("container:")) return;
  same("a namespace's mode", mode, seen, found);
}

void restart_policy(const Json& asked, const Json& seen, Differences& found) {
  const auto name = asked.value("Name", "");
  same("RestartPolicy.Name", name == "no" ? "" : name, seen["Name"] == "no" ? Json("") : seen["Name"], found);
  if (name == "on-failure") same("RestartPolicy.MaximumRetryCount", asked["MaximumRetryCount"], seen["MaximumRetryCount"], found);
}

void host_config(const Json& host, const Json& document, Differences& found) {
  const auto& seen = document["HostConfig"];
  for (const auto& [key, value] : host.items()) {
    const auto said = member(seen, key);
    if (key == "Mounts" || key == "Binds") continue;
    if (key == "CapAdd" || key == "CapDrop" || key == "GroupAdd" || key == "ExtraHosts" || key == "Dns" || key == "DnsSearch") holds_all(key, value, said, found);
    else if (key == "PortBindings") ports(value, said, found);
    else if (key == "Ulimits") ulimits(value, said, found);
    else if (key == "NetworkMode" || key == "PidMode") mode(value, said, found);
    else if (key == "RestartPolicy") restart_policy(value, said, found);
    else if (key == "SecurityOpt") continue;  // below, for bus callers: each engine spells it
    else within(key, value, said, found);
  }
  mounts(host, document, found);
}

/// This engine spells out what goes: its defaults, but for what is asked for.
void spell_out(Json& host) {
  auto gone = std::set<std::string>{"CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"};
  for (const auto& kept : words(host.value("CapAdd", Json()))) gone.erase(kept);
  host["CapDrop"] = gone;
  host.erase("CapAdd");
}

bool is_network(const std::string& name) {
  return name.find(':') == std::string::npos && name != "none" && name != "host" && name != "default" && name != "";
}

}  // namespace

std::vector<std::string> differences(const Json& asked, const Json& seen, bool podman) {
  Differences found;
  config(asked, seen["Config"], found);
  auto host = asked.value("HostConfig", Json::object());
  if (podman) {
    // What this engine takes and does not say: policy.md's table of what each does.
    for (const auto* silent : {"DeviceCgroupRules", "MaskedPaths", "ReadonlyPaths", "CgroupnsMode", "IpcMode", "Sysctls"}) host.erase(silent);
    if (host.contains("Devices")) {
      for (auto& device : host["Devices"]) device["CgroupPermissions"] = "";
    }
    if (words(host.value("CapDrop", Json())).contains("ALL")) spell_out(host);
    if (host.contains("NetworkMode") && is_network(host["NetworkMode"].get<std::string>())) host["NetworkMode"] = "bridge";
  }
  host_config(host, seen, found);
  return found;
}

std::vector<std::string> unconfined(const Json& seen, bool podman) {
  Differences found;
  const auto& host = seen["HostConfig"];
  same("Privileged", false, host["Privileged"], found);
  for (const auto* key : {"Devices", "DeviceCgroupRules", "DeviceRequests", "GroupAdd", "VolumesFrom", "Sysctls", "Links"}) same(key, Json(), member(host, key), found);
  for (const auto* key : {"PidMode", "UTSMode", "UsernsMode"}) {
    const auto mode = member(host, key);
    if (!is_nothing(mode) && mode != "private") found.push_back(std::string{key} + " is " + mode.dump());
  }
  if (!podman) same("IpcMode", "private", host["IpcMode"], found);
  if (!podman) same("CgroupnsMode", "private", member(host, "CgroupnsMode"), found);
  if (!podman) holds_all("SecurityOpt", Json{"no-new-privileges:true"}, host["SecurityOpt"], found);
  if (podman && host["SecurityOpt"].dump().find("no-new-privileges") == std::string::npos) found.push_back("no-new-privileges is not set: " + host["SecurityOpt"].dump());
  if (!words(host["CapDrop"]).contains("ALL")) holds_all("CapDrop", Json{"MKNOD", "NET_RAW", "AUDIT_WRITE"}, host["CapDrop"], found);
  for (const auto* key : {"Memory", "PidsLimit", "ShmSize"}) {
    if (host.value(key, std::int64_t{0}) <= 0) found.push_back(std::string{key} + " is not bounded");
  }
  // Podman says json-file for its own k8s-file.
  if (!podman || host["LogConfig"]["Type"] != "k8s-file") same("LogConfig.Type", "json-file", host["LogConfig"]["Type"], found);
  same("the caller's label", "alice", member(seen["Config"]["Labels"], "mesh-holder.caller"), found);
  for (const auto& mount : seen["Mounts"]) {
    if (mount.value("Type", "") == "bind") found.push_back("a bind mount at " + mount.dump());
  }
  return found;
}

}  // namespace berth::test
