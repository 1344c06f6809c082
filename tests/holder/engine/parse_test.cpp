#include "holder/engine/parse.h"
#include "base/json.h"
#include "catch.h"
#include "holder/engine/event_lines.h"
#include "holder/engine/url.h"
#include "holder/engine/utf8.h"
#include "holder/engine/words.h"

#include <algorithm>

namespace berth::test {
namespace {
using namespace holder::engine;
}

TEST_CASE("a list that ends early is an error and never a shorter list") {
  const std::string whole =
      R"([{"Id":"a1","Names":["/x"],"State":"running","Status":"Up 1 second","Labels":{}},{"Id":"b2","Names":["/y"]}])";
  REQUIRE(parse_list(whole).ok());
  CHECK(parse_list(whole)->size() == 2);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    CHECK(!parse_list(whole.substr(0, length)));
  }
}

TEST_CASE("a list of no containers, of nulls, and of another kind of thing") {
  CHECK(parse_list("[]")->empty());
  CHECK(!parse_list("null"));
  CHECK(!parse_list("{}"));
  CHECK(!parse_list(R"([{"Names":["/x"]}])"));
  const auto row =
      parse_list(
          R"([{"Id":"a","Names":null,"Ports":null,"Labels":null,"Mounts":null,"NetworkSettings":null,"State":"melting"}])")
          .value()
          .front();
  CHECK(row.name.empty());
  CHECK(row.state == "unknown");
  CHECK(row.health == "none");
  CHECK(!row.mesh_held());
}

TEST_CASE("a container's own name is told from the links to it, and an exposed port from a published one") {
  const auto row =
      parse_list(R"([{"Id":"a","Names":["/other/db","/web"],"State":"running","Created":1795969520,
    "Ports":[{"PrivatePort":9999,"Type":"tcp"},{"IP":"0.0.0.0","PrivatePort":80,"PublicPort":18080,"Type":"tcp"}],
    "Labels":{"mesh-host.id":"web","com.docker.compose.project":"shop"},
    "Mounts":[{"Type":"volume","Name":"v","Source":"/var/lib/x","Destination":"/d","RW":false},{"Type":"bind","Source":"/etc","Destination":"/e","RW":true}],
    "NetworkSettings":{"Networks":{"bridge":{}}}}])")
          .value()
          .front();
  CHECK(row.name == "web");
  CHECK(row.names.size() == 2);
  REQUIRE(row.ports.size() == 1);
  CHECK(row.ports[0].host_port == 18080);
  CHECK(row.assignment == "web");
  CHECK(row.compose_project == "shop");
  CHECK(row.mounts[0].source == "v");
  CHECK(row.mounts[0].read_only);
  CHECK(row.mounts[1].source == "/etc");
  CHECK(row.networks == std::vector<std::string>{"bridge"});
  CHECK(row.created_at == "2026-11-29T16:25:20.000000000Z");
}

TEST_CASE("every state and health an engine says has the contract's word") {
  CHECK(state_word("configured") == "created");
  CHECK(state_word("stopped") == "exited");
  CHECK(state_word("stopping") == "running");
  CHECK(state_word("removing") == "removing");
  CHECK(state_word("dead") == "dead");
  CHECK(state_word("") == "unknown");
  CHECK(health_word("") == "none");
  CHECK(health_word("starting") == "starting");
  CHECK(health_in_status("Up 2 minutes (healthy)") == "healthy");
  CHECK(health_in_status("Up 2 minutes (unhealthy)") == "unhealthy");
  CHECK(health_in_status("Up 1 second (health: starting)") == "starting");
  CHECK(health_in_status("Up 2 minutes (Paused)") == "none");
  CHECK(exit_code_in_status("Exited (137) 3 minutes ago") == 137);
  CHECK(exit_code_in_status("Restarting (1) Less than a second ago") == 1);
  CHECK(exit_code_in_status("Up 3 minutes") == 0);
  CHECK(time_text("0001-01-01T00:00:00Z").empty());
  CHECK(time_text("").empty());
  CHECK(time_text("2026-11-29T16:25:16.36Z") == "2026-11-29T16:25:16.360000000Z");
}

TEST_CASE("environment values are taken out wherever an engine repeats them") {
  auto document = Json::parse(R"({"Id":"a","Config":{"Env":["A=secret1","B=x=secret2","PLAIN","C="],
    "CreateCommand":["podman","run","-e","A=secret1"],"Cmd":["A=secret1","run"]},
    "Extra":{"Env":["D=secret3"],"deep":[{"note":"B=x=secret2"}]},"Process":{"env":["E=secret4"]}})");
  const auto names = remove_environment_values(document);
  CHECK(names == std::vector<std::string>{"A", "B", "PLAIN", "C"});
  CHECK(document.dump().find("secret") == std::string::npos);
  CHECK(document["Config"]["Cmd"] == Json::array({"A", "run"}));
  CHECK(document["Extra"]["deep"][0]["note"] == "B");
}

TEST_CASE("an inspect without an Id, or cut, or with bytes that are no text") {
  CHECK(!parse_inspect("{}"));
  CHECK(!parse_inspect(R"({"Id":"a","State":{)"));
  const auto seen = parse_inspect("{\"Id\":\"a\",\"Name\":\"/x\",\"Config\":{\"Labels\":{\"k\":\"\xFF\"}}}");
  REQUIRE(seen.ok());
  CHECK(seen->summary.labels.at("k") == "\xEF\xBF\xBD");
  CHECK(seen->summary.state == "unknown");
}

TEST_CASE("a stats answer of zeros is no reading, and nothing divides by nothing") {
  const auto nothing =
      parse_sample(
          R"({"read":"0001-01-01T00:00:00Z","cpu_stats":{"cpu_usage":{"total_usage":0}},"memory_stats":{},"name":"/x","id":"a"})")
          .value();
  CHECK(nothing.stats.id == "a");
  CHECK(nothing.stats.name == "x");
  CHECK(!nothing.stats.memory_bytes);
  CHECK(!nothing.cpu);
  CHECK(!cpu_percent(nothing.cpu_before, nothing.cpu));
  const auto once = parse_sample(R"({"read":"2026-11-29T16:31:38Z","preread":"2026-11-29T16:31:38Z","id":"a",
    "cpu_stats":{"cpu_usage":{"total_usage":5}},"precpu_stats":{"cpu_usage":{"total_usage":1}}})")
                        .value();
  CHECK(!cpu_percent(once.cpu_before, once.cpu));
}

TEST_CASE("memory is counted without the page cache of either cgroup version, and never below nothing") {
  const auto used = [](const std::string& memory) {
    return parse_sample(R"({"read":"2026-11-29T16:31:38Z","id":"a","memory_stats":)" + memory + "}")
        ->stats.memory_bytes;
  };
  CHECK(used(R"({"usage":100,"stats":{"total_inactive_file":30,"inactive_file":1}})") == 70);
  CHECK(used(R"({"usage":100,"stats":{"inactive_file":20}})") == 80);
  CHECK(used(R"({"usage":100})") == 100);
  CHECK(used(R"({"usage":10,"stats":{"inactive_file":20}})") == 0);
  CHECK(used("null") == std::nullopt);
  CHECK(used(R"({"usage":18446744073709551615})") == std::nullopt);
}

TEST_CASE("CPU is percent of one processor between two samples, traffic is over all interfaces") {
  const auto sample =
      parse_sample(R"({"read":"2026-11-29T16:31:39Z","preread":"2026-11-29T16:31:38Z","id":"a",
    "cpu_stats":{"cpu_usage":{"total_usage":1500000000}},"precpu_stats":{"cpu_usage":{"total_usage":1000000000}},
    "networks":{"eth0":{"rx_bytes":1,"tx_bytes":2},"eth1":{"rx_bytes":10,"tx_bytes":20}},
    "blkio_stats":{"io_service_bytes_recursive":[{"op":"Read","value":5},{"op":"write","value":7},{"op":"Total","value":12}]}})")
          .value();
  CHECK(*cpu_percent(sample.cpu_before, sample.cpu) == 50.0);
  CHECK(sample.stats.rx_bytes == 11);
  CHECK(sample.stats.tx_bytes == 22);
  CHECK(sample.stats.read_bytes == 5);
  CHECK(sample.stats.write_bytes == 7);
}

TEST_CASE("EV09 exec never becomes an event, in any of its forms") {
  for (const auto* action :
       {"exec_create: sh -c echo secret", "exec_start: sh", "exec_die", "exec", "exec_died", "exec_detach"}) {
    CAPTURE(action);
    const Json event = {{"Type", "container"}, {"Action", action}, {"Actor", {{"ID", "a"}}}, {"timeNano", 1}};
    CHECK(!parse_event(event.dump()).value().has_value());
  }
}

TEST_CASE("EV08 health is one form, whichever the engine used") {
  CHECK(
      parse_event(
          R"({"Type":"container","Action":"health_status: healthy","Actor":{"ID":"a"},"timeNano":1795969685871254317})")
          .value()
          ->action == "health_status: healthy");
  CHECK(
      parse_event(
          R"({"Type":"container","Action":"health_status","HealthStatus":"unhealthy","Actor":{"ID":"a"},"time":1795969685})")
          .value()
          ->action == "health_status: unhealthy");
  CHECK(to_rfc3339(parse_event(R"({"Type":"container","Action":"die","id":"a","timeNano":1795969685871254317})").value()->at) ==
        "2026-11-29T16:28:05.871254317Z");
  CHECK(!parse_event("{\"Type\":"));
  CHECK(!parse_event("[]"));
  CHECK(!parse_event("{}"));
  CHECK(!parse_event(R"({"Type":"container","Actor":{"ID":"a"}})"));
}

TEST_CASE("lines are cut wherever the bytes were, and a monstrous one is dropped alone") {
  LineCutter cutter;
  std::vector<std::string> lines;
  const auto sink = [&](std::string_view line) { lines.emplace_back(line.substr(0, 10)); };
  cutter.feed("on", sink);
  cutter.feed("e\n\ntwo\nth", sink);
  cutter.feed("ree\n", sink);
  CHECK(lines == std::vector<std::string>{"one", "two", "three"});
  const std::string mega(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 10; ++i) cutter.feed(mega, sink);
  cutter.feed("\nfour\n", sink);
  CHECK(lines.back() == "four");
  CHECK(lines.size() == 4);
  CHECK(cutter.dropped() == 1);
}

TEST_CASE("a name in a path stays one segment, a reference stays a reference") {
  CHECK(url_segment("a/b?c#d%2e e\r\n") == "a%2Fb%3Fc%23d%252e%20e%0D%0A");
  CHECK(url_image("registry.mesh:5000/a/b@sha256:00").value() == "registry.mesh:5000/a/b@sha256:00");
  for (const auto* bad : {"", "/x", "x/", "a//b", "../x", "a/../b"}) CHECK(!url_image(bad));
  CHECK(url_query({{"a", "1&2"}, {"b", ""}, {"c", "ü"}}) == "?a=1%262&c=%C3%BC");
  CHECK(engine_time(parse_rfc3339("2026-11-29T16:26:31.500000001Z").value()) == "1795969591.500000001");
}

TEST_CASE("text is made valid UTF-8 without touching what was") {
  CHECK(valid_utf8("plain \xC3\xA9 \xE2\x9C\x93 \xF0\x9F\x90\xB3") ==
        "plain \xC3\xA9 \xE2\x9C\x93 \xF0\x9F\x90\xB3");
  for (const auto* bad :
       {"\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x9C", "\x80", "\xE0\x80\x80"}) {
    const auto text = valid_utf8(bad);
    CHECK(text.find("\xEF\xBF\xBD") == 0);
    CHECK(!Json::parse("\"" + text + "\"", nullptr, false).is_discarded());
  }
}

TEST_CASE("an engine's facts hold what berth owns keys of") {
  const auto facts =
      parse_info(
          R"({"ID":"x","LiveRestoreEnabled":true,"LoggingDriver":"json-file","Driver":"overlay2","DockerRootDir":"/d","ContainersRunning":2,
    "RegistryConfig":{"InsecureRegistryCIDRs":["127.0.0.0/8","::1/128","10.0.0.0/8"],"IndexConfigs":{"docker.io":{"Secure":true},"registry.mesh:5000":{"Secure":false}}}})")
          .value();
  CHECK(facts.live_restore);
  CHECK(facts.insecure_registries == std::vector<std::string>{"10.0.0.0/8", "registry.mesh:5000"});
  CHECK(!parse_info("[]"));
  CHECK(!parse_version("{}"));
}

TEST_CASE("a time that no clock of ours can say is no time, in events and lists") {
  for (const auto* seconds : {"9223372036854775807", "-1", "7258118400", "18446744073709551615"}) {
    CAPTURE(seconds);
    const auto event = holder::engine::parse_event(std::string{R"({"Type":"container","Action":"die","Actor":{"ID":"a"},"time":)"} +
                                                   seconds + R"(,"timeNano":-1})");
    REQUIRE(event.ok());
    CHECK((*event)->at == Time{});
    const auto list =
        holder::engine::parse_list(std::string{R"([{"Id":"a","Names":["/a"],"State":"running","Created":)"} + seconds + "}]");
    REQUIRE(list.ok());
    CHECK(list->front().created_at == "");
  }
}

}  // namespace berth::test
