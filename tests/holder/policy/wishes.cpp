#include "tests/holder/policy/wishes.h"

#include <vector>

namespace berth::test {
namespace {

/// Members that a bus caller may give, each with values that are taken.
const std::vector<Json>& lawful() {
  static const auto kLawful = Json::parse(R"([
    {"command": ["sleep", "1"]}, {"entrypoint": ["/bin/sh", "-c"]}, {"environment": {"A": "1", "B_2": "x=y,z"}},
    {"labels": {"app.team": "blue"}}, {"user": "1000:1000"}, {"working_dir": "/srv/app"}, {"hostname": "node-7"},
    {"stop_signal": "SIGINT"}, {"stop_grace_period": "30s"}, {"restart": "unless-stopped"}, {"restart": "on-failure:3"}, {"restart": "always"},
    {"ports": [{"target": 80, "published": 8080}]}, {"volumes": [{"type": "volume", "source": "job-data", "target": "/data"}]},
    {"volumes": [{"type": "tmpfs", "target": "/t", "tmpfs": {"size": 65536}}]}, {"network_mode": "none"}, {"network_mode": "bridge"},
    {"networks": ["app-net"]}, {"mem_limit": "64m"}, {"mem_reservation": 6291456}, {"cpus": "0.5"}, {"cpu_shares": 512}, {"pids_limit": 64},
    {"shm_size": "1m"}, {"ulimits": {"nofile": {"soft": 10, "hard": 20}}}, {"oom_score_adj": 100}, {"read_only": true}, {"init": true}, {"tty": true},
    {"stdin_open": true}, {"cap_drop": ["ALL"], "cap_add": ["CHOWN"]}, {"dns": ["10.0.0.1"]}, {"dns_search": ["a.b"]},
    {"extra_hosts": {"x": "10.0.0.1"}}, {"healthcheck": {"test": ["CMD", "true"], "interval": "10s"}}, {"security_opt": ["no-new-privileges"]},
    {"name": "job-9"}, {"start": false}, {"auto_remove": true, "restart": "no"}])").get<std::vector<Json>>();
  return kLawful;
}

/// What would be root on the machine, or a way to it, in our spelling, Compose's short ones and the engine's own.
const std::vector<Json>& wishes() {
  static const auto kWishes = Json::parse(R"([
    {"privileged": true}, {"pid": "host"}, {"ipc": "host"}, {"uts": "host"}, {"userns_mode": "host"}, {"cgroup": "host"}, {"cgroup_parent": "/"},
    {"network_mode": "host"}, {"network_mode": "container:mesh-web"}, {"network_mode": "ns:/proc/1/ns/net"}, {"network_mode": "bridge:ip=10.0.0.9"},
    {"devices": ["/dev/sda"]}, {"device_cgroup_rules": ["a *:* rwm"]}, {"gpus": "all"}, {"group_add": ["0"]}, {"volumes_from": ["adm:rw"]},
    {"sysctls": {"kernel.core_pattern": "|/x"}}, {"runtime": "x"}, {"logging": {"driver": "json-file", "options": {"path": "/etc/x"}}},
    {"mac_address": "02:42:ac:11:00:99"}, {"replaces": "web"}, {"assignment": "web"}, {"runtime_socket": true}, {"labels": {"mesh-host.id": "web"}},
    {"labels": {"mesh-host.id=web": ""}}, {"labels": {"Mesh-Host.Id": "web"}}, {"labels": {"mesh-holder.caller": "bob"}}, {"labels": {"io.containers.x": "1"}},
    {"volumes": [{"type": "bind", "source": "/etc", "target": "/h"}]}, {"volumes": ["/etc:/h"]}, {"volumes": [{"type": "volume", "source": "/etc", "target": "/h"}]},
    {"volumes": [{"type": "volume", "source": "v1,src=/etc", "target": "/h"}]}, {"volumes": [{"type": "volume", "source": "v1", "target": "/h,volume-opt=device=/etc"}]},
    {"volumes": [{"type": "volume", "source": "v1", "target": "/h", "driver_opts": {"type": "none", "o": "bind", "device": "/"}}]},
    {"volumes": [{"type": "volume", "source": "v1", "target": "/h", "bind": {"propagation": "rshared"}}]}, {"volumes": {"/etc:/h": {}}},
    {"volumes": [{"type": "tmpfs", "target": "/proc/x", "tmpfs": {"size": 65536}}]}, {"volumes": [{"type": "tmpfs", "target": "/t"}]},
    {"networks": [{"name": "app-net", "aliases": ["mesh-web"]}]}, {"networks": ["host"]}, {"networks": ["held-net"]}, {"cap_add": ["SYS_ADMIN"]},
    {"cap_drop": ["ALL"], "cap_add": ["ALL"]}, {"cap_add": ["CHOWN"]}, {"security_opt": ["seccomp=unconfined"]}, {"security_opt": ["no-new-privileges", "no-new-privileges=false"]},
    {"environment": {"*": ""}}, {"environment": ["*"]}, {"environment": {"A B": "x"}}, {"working_dir": "/proc/self/fd/8"}, {"user": "-1"}, {"hostname": "a\nb"},
    {"mem_limit": -1}, {"mem_limit": "900g"}, {"pids_limit": 0}, {"pids_limit": -1}, {"shm_size": "1024g"}, {"cpus": "64"}, {"oom_score_adj": -1000}, {"stop_grace_period": "2147483647s"},
    {"ports": [{"target": 80, "published": 22}]}, {"ports": [{"target": 80, "published": "65558"}]}, {"ports": [{"target": 80, "published": "-65514"}]}, {"ports": [{"target": 80}]},
    {"command": ["/sbin/init"]}, {"entrypoint": ["/lib/systemd/systemd"]}, {"entrypoint": ["[\"/sbin/init\"]"]}, {"image": "dir:/etc"}, {"image": "held-label:1"}, {"image": "volcolon:1"},
    {"Privileged": true}, {"HostConfig": {"Privileged": true}}, {"Binds": ["/etc:/h"]}, {"hostconfig": {}}, {"MaskedPaths": []}, {"pull_policy": "always"}, {"name": "../x"}, {"name": "c20dea4d876b"}])").get<std::vector<Json>>();
  return kWishes;
}

/// Values to put in the place of any other.
const std::vector<Json>& odd_values() {
  static const auto kOdd = Json::parse(R"(["", "host", "/etc", "../../etc", "a,b", "a:b", "a=b", "\"", "mesh-host.id", "-1", "\u017f", "true", 0, -1, 1.5, 1e300,
    9223372036854775807, 18446744073709551615, true, false, null, [], {}, [[]], ["ALL"], {"a": {}}, ["/etc:/h"]])").get<std::vector<Json>>();
  return kOdd;
}

const Json& one_of(Wishes& self, const std::vector<Json>& list) { return list[self.below(list.size())]; }

}  // namespace

void Wishes::add_lawful(Json& document) { document.update(one_of(*this, lawful())); }
void Wishes::wish(Json& document) {
  if (document.is_object()) document.update(one_of(*this, wishes()));
}

/// Something inside becomes something odd; a key may change too.
void Wishes::spoil(Json& value) {
  if (!value.is_structured() || value.empty() || once_in(6)) {
    value = one_of(*this, odd_values());
    return;
  }
  auto at = value.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(below(value.size())));
  if (value.is_object() && once_in(5)) {
    auto taken = at.value();
    auto key = at.key();
    key[below(key.size())] = "/:=,. A*"[below(8)];
    value[key] = std::move(taken);
    return;
  }
  spoil(*at);
}

Json Wishes::document() {
  Json document = {{"image", "mini:1"}};
  for (std::size_t i = below(6); i > 0; --i) add_lawful(document);
  for (std::size_t i = once_in(3) ? 0 : below(3); i > 0; --i) once_in(2) ? wish(document) : spoil(document);
  return document;
}

std::string Wishes::damaged(std::string text) {
  const auto other = document().dump();
  switch (below(5)) {
    case 0: return text.substr(0, below(text.size()));
    case 1: return text.substr(0, text.size() - 1) + "," + other.substr(1);  // every key may be there twice
    case 2: text[below(text.size())] = static_cast<char>(below(256)); return text;
    case 3: return text + other;
    default: return text.insert(below(text.size()), other);
  }
}

std::string Wishes::bytes() {
  auto text = document().dump();
  return once_in(4) ? damaged(std::move(text)) : text;
}

}  // namespace berth::test
