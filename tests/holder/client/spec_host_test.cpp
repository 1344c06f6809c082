#include "base/error.h"
#include "base/fields.h"
#include "base/json.h"
#include "catch.h"
#include "holder/client/spec.h"

using namespace berth;
using namespace berth::holder::client;

namespace {

std::string judged(std::string_view members) {
  const auto document = parse_json("{\"image\": \"mini:1\", " + std::string{members} + "}", "the test").value();
  const auto spec = parse_spec(document, Asker::host);
  return spec ? "ok" : std::string{error_row(spec.error().code).name} + " " + spec.error().field;
}

}  // namespace

TEST_CASE("the host's socket takes what a bus caller may not say", "[spec]") {
  const auto row = GENERATE(table<const char*, const char*>({
      {R"("privileged": true)", "ok"},
      {R"("runtime_socket": true, "assignment": "web")", "ok"},
      {R"("volumes": [{"type": "bind", "source": "/", "target": "/host", "read_only": true}])", "ok"},
      {R"("volumes": [{"type": "bind", "source": "etc", "target": "/h"}])", "bad_request volumes[0].source"},
      {R"("volumes": [{"type": "bind", "source": "/a/../b", "target": "/h"}])", "bad_request volumes[0].source"},
      {R"("network_mode": "host", "pid": "host", "ipc": "host", "uts": "host", "userns_mode": "host", "cgroup": "host")", "ok"},
      {R"("network_mode": "container:web")", "ok"},
      {R"("network_mode": "container:")", "bad_request network_mode"},
      {R"("pid": "ns:/proc/1/ns/pid")", "bad_request pid"},
      {R"("devices": ["/dev/kvm:/dev/kvm:rwm"], "cap_add": ["cap_net_admin"])", "ok"},
      {R"("cap_add": ["NET ADMIN"])", "bad_request cap_add"},
      {R"("sysctls": {"net.ipv4.ip_forward": 1})", "ok"},
      {R"("logging": {"driver": "syslog", "options": {"syslog-address": "udp://10.0.0.1:514"}})", "ok"},
      {R"("logging": {"drivr": "x"})", "bad_request logging.drivr"},
      {R"("ports": [{"target": 53, "published": 53, "protocol": "udp"}])", "ok"},
      {R"("ports": [{"target": 53}])", "ok"},
      {R"("labels": {"com.docker.compose.project": "x"})", "ok"},
      {R"("labels": {"mesh-host.id": "x"})", "bad_request labels[mesh-host.id]"},
      {R"("labels": {"mesh-holder.caller": "x"})", "bad_request labels[mesh-holder.caller]"},
      {R"("assignment": "Web!")", "bad_request assignment"},
      {R"("networks": [{"name": "app-net", "aliases": ["db"]}])", "ok"},
      {R"("mac_address": "02:42:ac:11:00:02")", "ok"},
      {R"("mac_address": "02:42")", "bad_request mac_address"},
      {R"("oom_score_adj": -1000, "stop_grace_period": "2147483647s")", "ok"},
      {R"("pull_policy": "always")", "ok"},
      {R"("surprise": 1)", "bad_request surprise"},
      {R"("volumes": [{"type": "volume", "source": "v1", "target": "/h", "driver_opts": {"o": "bind"}}])", "ok"},
      {R"("volumes": [{"type": "bind", "source": "/v", "target": "/h", "driver_opts": {"o": "bind"}}])", "bad_request volumes[0].driver_opts"},
  }));
  CAPTURE(std::get<0>(row));
  CHECK(judged(std::get<0>(row)) == std::get<1>(row));
}

TEST_CASE("capabilities of the host's spec have one spelling", "[spec]") {
  const auto spec = parse_spec({{"image", "mini:1"}, {"cap_add", {"cap_net_admin", "SYS_TIME"}}}, Asker::host);
  REQUIRE(spec);
  CHECK(spec->cap_add == std::vector<std::string>{"NET_ADMIN", "SYS_TIME"});
}
