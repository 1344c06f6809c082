#include "base/error.h"
#include "base/fields.h"
#include "base/json.h"
#include "catch.h"
#include "holder/client/spec.h"

using namespace berth;
using namespace berth::holder::client;

namespace {

Json doc(std::string_view text) { return parse_json(text, "the test").value(); }

/// {"image": "mini:1", …}
Json with(std::string_view members) {
  return doc("{\"image\": \"mini:1\"" + (members.empty() ? "" : ", " + std::string{members}) + "}");
}

/// "code field", or "ok".
std::string judged(const Json& document, Asker asker = Asker::bus) {
  const auto spec = parse_spec(document, asker);
  if (spec) return "ok";
  return std::string{error_row(spec.error().code).name} + " " + spec.error().field;
}

}  // namespace

TEST_CASE("every host-only member of a bus request is named at once", "[spec]") {
  const auto spec = parse_spec(with(R"("privileged": true, "pid": "host", "network_mode": "container:web",
    "volumes": [{"type": "volume", "source": "ok", "target": "/d"}, {"type": "bind", "source": "/", "target": "/h"}],
    "cap_add": ["CHOWN", "SYS_ADMIN"], "security_opt": ["seccomp=unconfined"], "nonsense": 1)"),
                               Asker::bus);
  REQUIRE_FALSE(spec);
  CHECK(spec.error().code == Errc::refused_root_equivalent);
  CHECK(spec.error().fields == std::vector<std::string>{"pid", "privileged", "network_mode", "cap_add[1]",
                                                        "security_opt[0]", "volumes[1].type"});
}

TEST_CASE("a host-only member is refused from the bus whatever its value, and null is no value", "[spec]") {
  for (const auto* key : {"privileged", "pid", "ipc", "uts", "userns_mode", "cgroup", "devices", "device_cgroup_rules",
                          "gpus", "sysctls", "cgroup_parent", "volumes_from", "runtime", "logging", "mac_address",
                          "runtime_socket", "group_add", "replaces"}) {
    for (const auto* value : {"false", "true", "\"\"", "[]", "{}", "0"}) {
      CAPTURE(key, value);
      CHECK(judged(with("\"" + std::string{key} + "\": " + value)) == "refused_root_equivalent " + std::string{key});
    }
    CAPTURE(key);
    // An absent member is not even named: what is left to say of it is that a bus request has no such field.
    CHECK(judged(with("\"" + std::string{key} + "\": null")) == "bad_request " + std::string{key});
  }
}

TEST_CASE("a bus request that would make a held container names the assignment", "[spec]") {
  const auto assigned = parse_spec(with(R"("assignment": "web")"), Asker::bus);
  REQUIRE_FALSE(assigned);
  CHECK(assigned.error().code == Errc::refused_held);
  CHECK(assigned.error().assignment == "web");
  const auto labelled = parse_spec(with(R"("labels": {"mesh-host.id": "web"})"), Asker::bus);
  REQUIRE_FALSE(labelled);
  CHECK(labelled.error().code == Errc::refused_held);
  CHECK(labelled.error().assignment == "web");
  CHECK(labelled.error().field == "labels[mesh-host.id]");
}

TEST_CASE("what a bus request may not say is refused naming the member", "[spec]") {
  const auto row = GENERATE(table<const char*, const char*>({
      {"", "ok"},
      {R"("name": "job-2")", "ok"},
      {R"("name": "-rf")", "bad_request name"},
      {R"("name": "x")", "bad_request name"},
      {R"("name": "MESH-web2")", "bad_request name"},
      {R"("name": "c20dea4d876b")", "bad_request name"},
      {R"("name": "container")", "bad_request name"},
      {R"("unknown": null)", "bad_request unknown"},
      {R"("Privileged": true)", "bad_request Privileged"},
      {R"("command": "sh")", "bad_request command"},
      {R"("command": ["a,b=\"c\"\nd", "é"])", "ok"},
      {R"("command": ["a\u0000b"])", "bad_request "},
      {R"("entrypoint": [])", "ok"},
      {R"("entrypoint": ["[\"sh\"]"])", "bad_request entrypoint"},
      {R"("entrypoint": [""])", "bad_request entrypoint"},
      {R"("environment": {"A": "1", "B": "x\ny"})", "ok"},
      {R"("environment": {"*": "1"})", "bad_request environment[*]"},
      {R"("environment": {"A": 1})", "bad_request environment[A]"},
      {R"("environment": {"A": null})", "bad_request environment[A]"},
      {R"("labels": {"app.team": "blue", "x/y": "=,"})", "ok"},
      {R"("labels": {"mesh-host.id=web": ""})", "bad_request labels[mesh-host.id=web]"},
      {R"("labels": {"Mesh-Host.id": "web"})", "bad_request labels[Mesh-Host.id]"},
      {R"("labels": {"mesh-holder.caller": "bob"})", "bad_request labels[mesh-holder.caller]"},
      {R"("labels": {"com.docker.compose.project": "x"})", "bad_request labels[com.docker.compose.project]"},
      {R"("labels": {"a": "x\ny"})", "bad_request labels[a]"},
      {R"("user": "1000:1000")", "ok"},
      {R"("user": "4294967295")", "bad_request user"},
      {R"("working_dir": "/proc/self/fd/7")", "bad_request working_dir"},
      {R"("hostname": "a\nb")", "bad_request hostname"},
      {R"("hostname": "a.b")", "bad_request hostname"},
      {R"("stop_signal": "SIGUSR1", "stop_grace_period": "30s")", "ok"},
      {R"("stop_signal": "SIGSEGV")", "bad_request stop_signal"},
      {R"("stop_grace_period": "121s")", "bad_request stop_grace_period"},
      {R"("stop_grace_period": "1500ms")", "bad_request stop_grace_period"},
      {R"("restart": "always")", "ok"},
      {R"("restart": "on-failure:3")", "ok"},
      {R"("restart": "on-failure:0")", "bad_request restart"},
      {R"("restart": "unless-stopped:3")", "bad_request restart"},
      {R"("restart": "always", "auto_remove": true)", "bad_request auto_remove"},
      {R"("mem_limit": "256m", "mem_reservation": "128m")", "ok"},
      {R"("mem_limit": 6291455)", "bad_request mem_limit"},
      {R"("mem_limit": -1)", "bad_request mem_limit"},
      {R"("mem_limit": 4294967297)", "bad_request mem_limit"},
      {R"("mem_limit": 1e9)", "bad_request mem_limit"},
      {R"("mem_limit": "64m", "mem_reservation": "65m")", "bad_request mem_reservation"},
      {R"("mem_limit": "64m", "shm_size": "65m")", "bad_request shm_size"},
      {R"("cpus": 0.5)", "ok"},
      {R"("cpus": "2.000000001")", "bad_request cpus"},
      {R"("cpus": 0)", "bad_request cpus"},
      {R"("pids_limit": 0)", "bad_request pids_limit"},
      {R"("pids_limit": 4097)", "bad_request pids_limit"},
      {R"("oom_score_adj": -1000)", "bad_request oom_score_adj"},
      {R"("cpu_shares": 262144)", "bad_request cpu_shares"},
      {R"("ulimits": {"core": {"soft": 0, "hard": 0}})", "ok"},
      {R"("ulimits": {"nofile": {"soft": 100, "hard": 50}})", "bad_request ulimits.nofile.soft"},
      {R"("ulimits": {"nofile": {"soft": -1, "hard": -1}})", "bad_request ulimits.nofile.soft"},
      {R"("ulimits": {"rtprio": {"soft": 1, "hard": 1}})", "bad_request ulimits.rtprio"},
      {R"("ports": [{"target": 80, "published": 8080}])", "ok"},
      {R"("ports": [{"target": 80, "published": "8080", "host_ip": "127.0.0.1"}])", "ok"},
      {R"("ports": [{"target": 80}])", "bad_request ports[0].published"},
      {R"("ports": [{"target": 80, "published": 22}])", "bad_request ports[0].published"},
      {R"("ports": [{"target": 80, "published": 65558}])", "bad_request ports[0].published"},
      {R"("ports": [{"target": 80, "published": "-65514"}])", "bad_request ports[0].published"},
      {R"("ports": [{"target": 80, "published": "8080-8090"}])", "bad_request ports[0].published"},
      {R"("ports": [{"target": 80, "published": "08080"}])", "bad_request ports[0].published"},
      {R"("ports": [{"target": 80, "published": 8080, "host_ip": "::"}])", "bad_request ports[0].host_ip"},
      {R"("ports": [{"target": 80, "published": 8080, "protocol": "sctp"}])", "bad_request ports[0].protocol"},
      {R"("ports": ["8080:80"])", "bad_request ports[0]"},
      {R"("volumes": [{"type": "volume", "source": "data", "target": "/etc/app", "read_only": true}])", "ok"},
      {R"("volumes": ["/etc:/h:ro"])", "bad_request volumes[0]"},
      {R"("volumes": [{"type": "volume", "source": "/etc", "target": "/h"}])", "bad_request volumes[0].source"},
      {R"("volumes": [{"type": "volume", "source": "data", "target": "/h,volume-opt=o=bind"}])", "bad_request volumes[0].target"},
      {R"("volumes": [{"type": "volume", "source": "data", "target": "/run/../proc"}])", "bad_request volumes[0].target"},
      {R"("volumes": [{"type": "volume", "source": "data", "target": "/etc/resolv.conf"}])", "bad_request volumes[0].target"},
      {R"("volumes": [{"type": "volume", "source": "a1", "target": "/d"}, {"type": "volume", "source": "b1", "target": "/d/e"}])", "bad_request volumes[0].target"},
      {R"("volumes": [{"type": "volume", "target": "/d"}])", "bad_request volumes[0].source"},
      {R"("volumes": [{"type": "volume", "source": "5430eeed859cad61d925097ec4f532461ccf1ab6b9802b09a313be1478a4d614", "target": "/d"}])", "bad_request volumes[0].source"},
      {R"("volumes": [{"type": "volume", "source": "v1", "target": "/h", "driver_opts": {}}])", "refused_root_equivalent volumes[0].driver_opts"},
      {R"("volumes": [{"type": "tmpfs", "target": "/tmp", "tmpfs": {"size": "16m"}}])", "ok"},
      {R"("volumes": [{"type": "tmpfs", "target": "/tmp"}])", "bad_request volumes[0].tmpfs.size"},
      {R"("volumes": [{"type": "npipe", "source": "x", "target": "/d"}])", "bad_request volumes[0].type"},
      {R"("network_mode": "bridge")", "ok"},
      {R"("network_mode": "Host")", "refused_root_equivalent network_mode"},
      {R"("network_mode": "ns:/proc/1/ns/net")", "refused_root_equivalent network_mode"},
      {R"("network_mode": "pasta")", "bad_request network_mode"},
      {R"("network_mode": "bridge:ip=10.88.0.250")", "bad_request network_mode"},
      {R"("networks": ["app-net"])", "ok"},
      {R"("networks": ["container:x"])", "bad_request networks[0]"},
      {R"("networks": ["host"])", "bad_request networks[0]"},
      {R"("networks": [{"name": "app-net", "aliases": ["mesh-web"]}])", "refused_root_equivalent networks[0].aliases"},
      {R"("networks": ["app-net"], "network_mode": "none")", "bad_request network_mode"},
      {R"("cap_drop": ["ALL"], "cap_add": ["NET_BIND_SERVICE"])", "ok"},
      {R"("cap_add": ["NET_BIND_SERVICE"])", "bad_request cap_add"},
      {R"("cap_drop": ["ALL"], "cap_add": ["cap_sys_ptrace"])", "refused_root_equivalent cap_add[0]"},
      {R"("cap_drop": ["ALL"], "cap_add": ["NET_RAW"])", "refused_root_equivalent cap_add[0]"},
      {R"("cap_add": "SYS_ADMIN")", "bad_request cap_add"},
      {R"("cap_drop": ["SYS_ADMIN"])", "bad_request cap_drop[0]"},
      {R"("security_opt": ["no-new-privileges=true"])", "ok"},
      {R"("security_opt": ["no-new-privileges=false"])", "refused_root_equivalent security_opt[0]"},
      {R"("dns": ["10.0.0.53"], "dns_search": ["example.org"], "extra_hosts": {"api.internal": "10.1.2.3"})", "ok"},
      {R"("dns": ["10.0.0.53\nnameserver 1.1.1.1"])", "bad_request dns"},
      {R"("extra_hosts": {"x": "host-gateway"})", "bad_request extra_hosts[x]"},
      {R"("healthcheck": {"test": ["CMD-SHELL", "true"], "interval": "30s", "timeout": "5s", "retries": 3})", "ok"},
      {R"("healthcheck": {"test": ["NONE"]})", "ok"},
      {R"("healthcheck": {"test": ["CMD-SHELL", "true"], "interval": "1ms"})", "bad_request healthcheck.interval"},
      {R"("healthcheck": {"test": ["EXEC", "true"]})", "bad_request healthcheck.test"},
      {R"("pull_policy": "missing")", "bad_request pull_policy"},
      {R"("start": "yes")", "bad_request start"},
  }));
  CAPTURE(std::get<0>(row));
  CHECK(judged(with(std::get<0>(row))) == std::get<1>(row));
}

TEST_CASE("an image that an engine would read as something else is refused from the bus", "[spec]") {
  for (const auto* good : {"mini:1", "registry.example.com:5000/team/app:2.1", "localhost/mini:1",
                           "registry.example.com/team/app@sha256:18ac3e7343f016890c510e93f935261169d9e3f565436429830faf0934f4f8e4",
                           "sha256:43385991f0be5fed6db7fb640c5f510d41bcaac6ecca6c842a0c2a2d2d2bf510"}) {
    CAPTURE(good);
    CHECK(judged({{"image", good}}) == "ok");
  }
  for (const auto* bad : {"", "docker-archive:/etc/shadow", "dir:/etc", "dir:latest", "oci:1",
                          "containers-storage:localhost/mini:1", "MINI:1", "mini:1 --privileged", "mini:1\n",
                          "ed5513bd31ef", "a//b", "/mini", "mini:", "mini@sha256:12", "-x"}) {
    CAPTURE(bad);
    CHECK(judged({{"image", bad}}) == "bad_request image");
  }
  CHECK(judged(Json::object()) == "bad_request image");
  CHECK(judged(Json::array()) == "bad_request ");
}

TEST_CASE("a bound is told in the unit in which it is asked for", "[spec]") {
  const std::pair<const char*, const char*> kRows[] = {
      {R"("cpus": 100)", "cpus must be from 0.01 to 2"},
      {R"("stop_grace_period": "121s")", "stop_grace_period must be from 0s to 2m"},
      {R"("healthcheck": {"test": ["CMD", "true"], "interval": "1s"})", "healthcheck.interval must be from 5s to 24h"},
      {R"("healthcheck": {"test": ["CMD", "true"], "timeout": "11m"})", "healthcheck.timeout must be from 1s to 10m"},
      {R"("mem_limit": "1m")", "mem_limit must be from 6291456 to 4294967296"},
  };
  for (const auto& [members, told] : kRows) {
    const auto spec = parse_spec(with(members), Asker::bus);
    REQUIRE_FALSE(spec);
    CHECK(spec.error().detail == told);
  }
}

TEST_CASE("the bounds are settings", "[spec]") {
  BusBounds bounds;
  bounds.memory = 64 << 20;
  bounds.port_low = 8000;
  bounds.port_high = 8999;
  const auto refused = [&](std::string_view members) {
    const auto spec = parse_spec(with(members), Asker::bus, bounds);
    return spec ? std::string{"ok"} : spec.error().field;
  };
  CHECK(refused(R"("mem_limit": "65m")") == "mem_limit");
  CHECK(refused(R"("mem_reservation": "65m")") == "mem_reservation");
  CHECK(refused(R"("ports": [{"target": 80, "published": 9000}])") == "ports[0].published");
  CHECK(refused(R"("ports": [{"target": 80, "published": 8999}])") == "ok");
}
