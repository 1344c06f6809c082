#include <random>

#include "base/error.h"
#include "base/json.h"
#include "catch.h"
#include "holder/client/spec.h"

using namespace berth;
using namespace berth::holder::client;

namespace {

/// Every member with a value that is not its default; a random half of them makes one document.
const Json& everything() {
  static const Json kAll = {
      {"name", "web"}, {"command", {"sh", "-c", "x y"}}, {"entrypoint", Json::array()},
      {"environment", {{"A", "1=2"}, {"B", ""}}}, {"labels", {{"app.a", "b"}}}, {"user", "1000:www"},
      {"working_dir", "/srv"}, {"hostname", "node-7"}, {"stop_signal", "SIGINT"}, {"stop_grace_period", "1m30s"},
      {"restart", "on-failure:3"}, {"ports", {{{"target", 80}, {"published", 8080}, {"protocol", "udp"}, {"host_ip", "127.0.0.1"}}, {{"target", 81}}}},
      {"volumes", {{{"type", "volume"}, {"source", "data"}, {"target", "/d"}, {"read_only", true}, {"driver_opts", {{"type", "none"}, {"o", "bind"}}}}, {{"type", "tmpfs"}, {"target", "/t"}, {"tmpfs", {{"size", "16m"}}}}, {{"type", "bind"}, {"source", "/etc"}, {"target", "/e"}}}},
      {"mem_limit", "64m"}, {"mem_reservation", 6291456}, {"cpus", "0.25"}, {"cpu_shares", 512}, {"pids_limit", 64},
      {"shm_size", "1m"}, {"oom_score_adj", -5}, {"ulimits", {{"nofile", {{"soft", 10}, {"hard", 20}}}}},
      {"healthcheck", {{"test", {"CMD", "true"}}, {"interval", "5s"}, {"timeout", "1500ms"}, {"retries", 3}}},
      {"read_only", true}, {"init", true}, {"tty", true}, {"stdin_open", true}, {"start", false}, {"cap_drop", {"ALL"}},
      {"cap_add", {"cap_chown"}}, {"dns", {"10.0.0.1"}}, {"dns_search", {"a.b"}}, {"security_opt", {"no-new-privileges"}},
      {"extra_hosts", {{"x", "10.0.0.1"}}}, {"pull_policy", "missing"}, {"privileged", true}, {"runtime_socket", true},
      {"pid", "host"}, {"ipc", "container:web"}, {"uts", "host"}, {"userns_mode", "host"}, {"cgroup", "host"},
      {"cgroup_parent", "/x"}, {"runtime", "runc"}, {"mac_address", "02:42:ac:11:00:02"}, {"gpus", "all"},
      {"devices", {"/dev/kvm"}}, {"device_cgroup_rules", {"c 10:229 rwm"}}, {"volumes_from", {"other:ro"}},
      {"group_add", {"docker"}}, {"sysctls", {{"net.ipv4.ip_forward", 1}}}, {"logging", {{"driver", "json-file"}, {"options", {{"max-size", "1m"}}}}},
      {"assignment", "web"}, {"replaces", "0123456789ab"}, {"networks", {"one-net", {{"name", "two-net"}, {"aliases", {"db"}}}}}};
  return kAll;
}

}  // namespace

TEST_CASE("a spec's document parses to the same spec, whatever it holds", "[spec]") {
  std::mt19937 random{20240607};
  for (int round = 0; round < 500; ++round) {
    Json document = {{"image", "mini:1"}};
    for (const auto& [key, value] : everything().items()) {
      if (round == 0 || random() % 2 == 0) document[key] = value;
    }
    CAPTURE(document.dump());
    const auto spec = parse_spec(document, Asker::host);
    if (!spec) FAIL(to_text(spec.error()));
    const auto again = parse_spec(spec_document(*spec), Asker::host);
    if (!again) FAIL(to_text(again.error()));
    CHECK(*again == *spec);
    CHECK(spec_hash(*again) == spec_hash(*spec));
    CHECK(spec_document(*again) == spec_document(*spec));
  }
}

TEST_CASE("every member of a spec makes a difference to its hash", "[spec]") {
  const auto plain = parse_spec({{"image", "mini:1"}}, Asker::host).value();
  for (const auto& [key, value] : everything().items()) {
    CAPTURE(key);
    const auto spec = parse_spec({{"image", "mini:1"}, {key, value}}, Asker::host);
    if (!spec) FAIL(to_text(spec.error()));
    CHECK_FALSE(*spec == plain);
    CHECK(spec_hash(*spec) != spec_hash(plain));
  }
}

TEST_CASE("the same spec written another way has the same hash", "[spec]") {
  const auto hash = [](const Json& document) { return spec_hash(parse_spec(document, Asker::host).value()); };
  CHECK(hash({{"image", "mini:1"}, {"mem_limit", "64m"}, {"restart", "no"}}) ==
        hash({{"image", "mini:1"}, {"mem_limit", 67108864}, {"start", true}, {"name", nullptr}}));
  CHECK(hash({{"image", "mini:1"}, {"cpus", 0.5}}) == hash({{"image", "mini:1"}, {"cpus", "0.50"}}));
}
