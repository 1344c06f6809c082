#include <fstream>

#include "base/error.h"
#include "base/json.h"
#include "catch.h"
#include "holder/serve/holder_config.h"
#include "tests/support/fakes.h"

using namespace berth;
using namespace berth::test;
using holder::serve::HolderConfig;

namespace {

std::string refused(const std::string& text) {
  const auto config = HolderConfig::parse(Json::parse(text));
  return config ? "ok" : config.error().field;
}

}  // namespace

TEST_CASE("every option of the holder has a default but the machine", "[config]") {
  const auto config = HolderConfig::parse({{"machine", "alder"}});
  REQUIRE(config);
  CHECK(config->machine == "alder");
  CHECK(config->engine_socket == "/run/docker.sock");
  CHECK_FALSE(config->engine_kind.has_value());
  CHECK(config->socket == "/run/berth/holder.sock");
  CHECK(config->socket_uids == std::vector<uid_t>{0});
  CHECK(config->store == "/var/lib/berth-holder/holder.db");
  CHECK(config->seat == "/etc/berth/seat.json");
  CHECK_FALSE(config->bus.has_value());
  CHECK(config->bounds.memory == std::int64_t{4} << 30);
  CHECK(refused("{}") == "machine");
}

TEST_CASE("a wrong option is refused by its name", "[config]") {
  const auto row = GENERATE(table<const char*, const char*>({
      {R"({"machine": "Alder"})", "machine name"},
      {R"({"machine": 7})", "machine"},
      {R"({"machine": "alder", "sockets": "/x"})", "sockets"},
      {R"({"machine": "alder", "socket": "run/x.sock"})", "socket"},
      {R"({"machine": "alder", "engine": {"kind": "containerd"}})", "engine.kind"},
      {R"({"machine": "alder", "engine": {"sock": "/x"}})", "engine.sock"},
      {R"({"machine": "alder", "engine": {"socket": ""}})", "engine.socket"},
      {R"({"machine": "alder", "socket_uids": []})", "socket_uids"},
      {R"({"machine": "alder", "socket_uids": [-1]})", "socket_uids"},
      {R"({"machine": "alder", "socket_uids": ["root"]})", "socket_uids"},
      {R"({"machine": "alder", "bus": {"url": 1}})", "bus.url"},
      {R"({"machine": "alder", "bounds": {"ports": [2000, 1000]}})", "bounds.ports"},
      {R"({"machine": "alder", "bounds": {"cpus": "many"}})", "bounds.cpus"},
      {R"({"machine": "alder", "bounds": {"memory": 1}})", "bounds.memory"},
      {R"({"machine": "alder", "bounds": {"containers": 3, "ports": [8000, 8999], "cpus": "1.5", "pids": 10, "memory": 67108864}})", "ok"},
  }));
  CAPTURE(std::get<0>(row));
  CHECK(refused(std::get<0>(row)) == std::get<1>(row));
  CHECK(refused(R"({"machine": "alder", "socket": "/)" + std::string(107, 'x') + "\"}") == "socket");
}

TEST_CASE("a wrong configuration names the file, the key and the reason", "[config]") {
  const TempFolder folder;
  const auto path = folder / "holder.json";
  const auto said = [&](const std::string& text) {
    std::ofstream{path} << text;
    const auto config = HolderConfig::read(path);
    REQUIRE_FALSE(config);
    return config.error().detail;
  };
  using Catch::Matchers::Contains;
  CHECK_THAT(said(R"({"machine": "alder", "store": 5})"), Contains(path.native()) && Contains("store must be a string"));
  CHECK_THAT(said("{"), Contains(path.native()) && Contains("not the JSON document"));
  CHECK_THAT(said(R"({"machine": "a", "machine": "b"})"), Contains(path.native()) && Contains("twice"));
  CHECK_THAT(HolderConfig::read(folder / "none.json").error().detail, Contains("none.json"));
}
