// The machine beside its containers, on real engines. What prune may take is always a plan cut down to what the
// case made: the engine may be somebody else's too.
#include <unistd.h>

#include <algorithm>
#include <future>
#include <set>
#include <thread>

#include "base/guarded.h"
#include "tests/holder/engine/engine_world.h"
#include "base/file.h"
#include "base/process.h"
#include "tests/support/file_server.h"
#include "tests/support/free_port.h"
#include "tests/holder/verbs/bench.h"

using namespace berth;
using namespace berth::test;
using Catch::Matchers::Contains;

namespace {

constexpr const char* kRuns = "trap 'exit 0' TERM; while true; do sleep 1; done";

struct Inventoried : Bench {
  explicit Inventoried(const std::string& socket) : Inventoried(std::make_unique<EngineWorld>(socket)) {}
  explicit Inventoried(std::unique_ptr<EngineWorld> made) : Bench(made->engine()), world(std::move(made)) {
    grant(Json::parse(R"([{"caller": "alice", "verbs": ["*"], "class": "read"}, {"caller": "alice", "verbs": ["prune"], "class": "act"}])"));
  }
  Json ask(const std::string& verb, const Json& params = Json::object()) {
    auto answer = bus(verb, params);
    if (!answer) FAIL(verb << ": " << to_text(answer.error()));
    return std::move(answer).value();
  }
  /// An image without a name, of a stopped container. Answers its id.
  std::string commit(const std::string& container) {
    const auto answer = world->raw("POST", "/commit?container=" + container, Json::object());
    if (answer.status != 201) FAIL("commit: " << answer.body);
    const std::string id = Json::parse(answer.body).at("Id");
    return id.starts_with("sha256:") ? id : "sha256:" + id;
  }
  std::unique_ptr<EngineWorld> world;
};

const Json* row_where(const Json& rows, const char* key, const std::string& value) {
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const Json& row) { return row[key] == value; });
  return at == rows.end() ? nullptr : &*at;
}

void processes_networks_volumes_and_ports_are_told(Inventoried& t) {
  auto spec = t.world->shell("inv", kRuns);
  const auto volume = t.world->name("vol");
  t.world->also_remove("/volumes/" + volume);
  must(t.world->engine().ensure_volume(volume, {{"mesh-host.id", "web"}}));
  spec.network_mode = "bridge";
  spec.volumes.push_back({.type = "volume", .source = volume, .target = "/data", .read_only = true, .tmpfs_size = {}});
  const auto published = free_port();
  spec.ports.push_back({.target = 80, .published = published, .protocol = "tcp", .host_ip = "127.0.0.1"});
  const auto id = t.world->run(spec);

  const auto top = t.ask("top", {{"container", id}});
  REQUIRE(top["processes"].size() >= 1);
  CHECK(std::any_of(top["processes"].begin(), top["processes"].end(),
                    [](const Json& p) { return p["command"].get<std::string>().find("trap") != std::string::npos && p["pid"] > 0; }));

  const auto networks = t.ask("networks")["networks"];
  const auto on = std::find_if(networks.begin(), networks.end(), [&](const Json& n) { return row_where(n["containers"], "id", id) != nullptr; });
  REQUIRE(on != networks.end());
  CHECK((*on)["driver"] == "bridge");
  CHECK_THAT((*on)["subnets"][0]["subnet"].get<std::string>(), Contains("/"));

  const auto volumes = t.ask("volumes", {{"sizes", true}})["volumes"];
  const auto* mounted = row_where(volumes, "name", volume);
  REQUIRE(mounted != nullptr);
  CHECK((*mounted)["mesh_held"] == true);
  CHECK((*mounted)["assignment"] == "web");
  CHECK((*mounted)["anonymous"] == false);
  CHECK((*mounted)["containers"][0]["target"] == "/data");
  CHECK((*mounted)["containers"][0]["read_only"] == true);
  CHECK((*mounted)["size_bytes"].is_number());

  const auto ports = t.ask("ports")["ports"];
  const auto port = std::find_if(ports.begin(), ports.end(), [&](const Json& p) { return p["host_port"] == published; });
  REQUIRE(port != ports.end());
  CHECK((*port)["container"]["id"] == id);
  CHECK((*port)["container_port"] == 80);
  CHECK((*port)["addresses"] == Json({"127.0.0.1"}));

  const auto usage = t.ask("disk_usage");
  CHECK(usage["containers"]["total"] >= 1);
  CHECK(usage["containers"]["active"] >= 1);
  CHECK(usage["images"]["size_bytes"] > 0);
  const auto images = t.ask("images", {{"which", "used"}})["images"];
  CHECK(std::any_of(images.begin(), images.end(), [&](const Json& i) { return row_where(i["containers"], "id", id) != nullptr; }));
}

void problems_find_what_failed_and_what_runs_on_the_machines_network(Inventoried& t) {
  const auto failed = t.world->run(t.world->shell("fails", "exit 3"));
  auto host = t.world->shell("host", kRuns);
  host.network_mode = "host";
  const auto on_host = t.world->run(host);
  REQUIRE(t.world->becomes(failed, "exited"));
  const auto problems = t.ask("problems");
  const auto* row = row_where(problems["containers"], "id", failed);
  REQUIRE(row != nullptr);
  CHECK((*row)["problems"] == Json({"failed: exit code 3"}));
  CHECK(row_where(problems["containers"], "id", on_host) == nullptr);
  CHECK(row_where(t.ask("ports")["host_network"], "id", on_host) != nullptr);
  CHECK(row_where(t.ask("unlabelled")["containers"], "id", on_host) != nullptr);
}

void prune_takes_what_its_plan_shows(Inventoried& t) {
  const auto base = t.world->create(t.world->shell("base", "true"));
  const auto lower = t.commit(base);
  auto next = t.world->shell("next", "true");
  next.image = lower;
  const auto upper = t.commit(t.world->create(next));
  auto user = t.world->shell("user", "true");
  user.image = lower;
  const auto ran = t.world->run(user);
  REQUIRE(t.world->becomes(ran, "exited"));

  const auto mine = [&](const Json& plan) {
    Json cut = {{"images", Json::array()}, {"build_cache", Json::array()}, {"containers", Json::array()}};
    for (const auto& id : plan["images"]) if (id == lower || id == upper) cut["images"].push_back(id);
    for (const auto& id : plan["containers"]) if (id == ran) cut["containers"].push_back(id);
    return cut;
  };
  // While a container was made of the lower one neither goes; the one that ended is shown.
  const auto first = mine(t.ask("prune", {{"containers", true}})["plan"]);
  CHECK(first["containers"] == Json({ran}));
  CHECK(std::find(first["images"].begin(), first["images"].end(), lower) == first["images"].end());
  const auto run = t.ask("prune", {{"dry_run", false}, {"plan", {{"containers", first["containers"]}}}});
  CHECK(run["removed"]["containers"] == Json({ran}));
  must(t.world->engine().remove(t.world->name("next"), true, true));

  const auto second = mine(t.ask("prune")["plan"]);
  CHECK(second["images"].size() == 2);
  const auto upper_alone = t.ask("prune", {{"dry_run", false}, {"plan", {{"images", {upper}}}}});
  CHECK(upper_alone["removed"]["images"] == Json({upper}));
  CHECK(t.world->engine().image(lower).ok());
  const auto gone = t.ask("prune", {{"dry_run", false}, {"plan", second}});
  CHECK(gone["removed"]["images"] == Json({lower}));
  CHECK(gone["kept"].empty());
  CHECK(outcome(t.host("prune", {{"dry_run", false}, {"plan", second}})) == "ok");
  CHECK(t.world->engine().image(lower).error().code == Errc::not_found);
  CHECK(t.world->engine().image(EngineWorld::kImage).ok());
}

void a_log_is_followed_until_told_to_end(Inventoried& t) {
  const auto id = t.world->run(t.world->shell("talks", "i=0; while true; do echo out $i; echo err $i >&2; i=$((i+1)); sleep 0.2; done"));
  Guarded<std::vector<std::string>> heard;
  std::promise<Status> ended;
  std::jthread follower{[&](std::stop_token stop) {
    ended.set_value(t.world->engine().follow_logs(id, "", stop, [&](const holder::engine::LogLine& line) {
      heard.with([&](auto& lines) { lines.push_back(line.stream + " " + line.text); });
    }));
  }};
  const auto lines = [&] { return heard.with([](const auto& all) { return all; }); };
  for (int i = 0; i < 100 && lines().size() < 6; ++i) ::usleep(100'000);
  follower.request_stop();
  auto result = ended.get_future();
  REQUIRE(result.wait_for(std::chrono::seconds{5}) == std::future_status::ready);
  CHECK(result.get().ok());
  const auto all = lines();
  REQUIRE(all.size() >= 6);
  CHECK(std::count_if(all.begin(), all.end(), [](const auto& line) { return line.rfind("stderr err ", 0) == 0; }) >= 2);
  CHECK(std::count_if(all.begin(), all.end(), [](const auto& line) { return line.rfind("stdout out ", 0) == 0; }) >= 2);
}

void a_followed_log_ends_with_its_container(Inventoried& t) {
  const auto id = t.world->run(t.world->shell("ends", "sleep 1; echo last; exit 0"));
  std::vector<std::string> heard;
  must(t.world->engine().follow_logs(id, "2020-01-01T00:00:00Z", {}, [&](const holder::engine::LogLine& line) { heard.push_back(line.text); }));
  CHECK(heard == std::vector<std::string>{"last"});
}

void the_configuration_is_told_of_the_engine_that_runs(Inventoried& t) {
  const auto answer = t.ask("daemon_config");
  CHECK_THAT(answer["engine"]["name"].get<std::string>(), Contains(t.world->podman() ? "Podman" : "Docker"));
  CHECK(answer["next_start"].empty());
  CHECK(answer["not_taken"].empty());
}

struct InventoryCase {
  const char* name;
  void (*run)(Inventoried&);
};
constexpr InventoryCase kInventoryCases[] = {
    {"processes, networks, volumes and ports are told", processes_networks_volumes_and_ports_are_told},
    {"problems find what failed, and what runs on the machine's network is told", problems_find_what_failed_and_what_runs_on_the_machines_network},
    {"prune takes what its plan shows, children before parents", prune_takes_what_its_plan_shows},
    {"a log is followed until told to end", a_log_is_followed_until_told_to_end},
    {"a followed log ends with its container", a_followed_log_ends_with_its_container},
    {"the configuration is told of the engine that runs", the_configuration_is_told_of_the_engine_that_runs},
};

}  // namespace

TEST_CASE("the machine beside its containers, on real engines", "[verbs][docker][podman]") {
  static const auto kSockets = engine_sockets();
  for (const auto& socket : kSockets) {
    for (const auto& one : kInventoryCases) {
      DYNAMIC_SECTION(one.name << " on " << socket) {
        Inventoried table{socket};
        one.run(table);
      }
    }
  }
}

namespace {

std::set<std::string> build_records(Inventoried& t) {
  const auto shown = t.ask("prune");
  std::set<std::string> ids;
  for (const auto& id : shown["plan"]["build_cache"]) ids.insert(id);
  return ids;
}

/// An image of the engine's own builder, from a context that a web server has. Answers the records it left.
std::set<std::string> build(Inventoried& t, const std::string& image) {
  const auto before = build_records(t);
  TempFolder context;
  std::filesystem::copy_file("/bin/busybox", context / "busybox");
  must(write_file((context / "Dockerfile").native(), "FROM scratch\nCOPY busybox /bin/busybox\nRUN [\"/bin/busybox\", \"touch\", \"/" + image.substr(0, 12) + "\"]\n", 0644, no_faults()));
  TempFolder served;
  must(run_checked({"tar", "-C", context.path().native(), "-cf", (served / "context.tar").native(), "."}, std::chrono::seconds{20}, no_faults()));
  const FileServer server{served.path()};
  const auto answer = t.world->raw("POST", "/build?version=2&t=" + image + "&remote=" + server.url("/files/context.tar"), Json::object());
  t.world->also_remove("/images/" + image + "?force=1");
  INFO(answer.body);
  REQUIRE(answer.status == 200);
  REQUIRE(t.world->engine().image(image).ok());
  std::set<std::string> made;
  for (const auto& id : build_records(t)) if (!before.contains(id)) made.insert(id);
  return made;
}

}  // namespace

TEST_CASE("prune takes the records that a real builder left, and says which of them an image still uses", "[verbs][docker]") {
  std::string socket;
  if (!part_present("BERTH_TEST_DOCKER", socket)) return;
  Inventoried t{socket};
  const auto image = t.world->name("built") + ":1";
  const auto made = build(t, image);
  REQUIRE(made.size() >= 2);
  const Json plan = {{"build_cache", made}};
  const auto run = t.ask("prune", {{"dry_run", false}, {"plan", plan}});
  CHECK_FALSE(run["removed"]["build_cache"].empty());
  std::set<std::string> accounted;
  for (const auto& id : run["removed"]["build_cache"]) accounted.insert(id);
  for (const auto& kept : run["kept"]) {
    CHECK(kept["kind"] == "build_cache");
    CHECK_THAT(kept["why"].get<std::string>(), Contains("still uses it"));
    accounted.insert(kept["id"]);
  }
  CHECK(accounted == made);
  CHECK(t.world->engine().image(image).ok());
  must(t.world->engine().remove_image(must(t.world->engine().image(image)).id));
  t.ask("prune", {{"dry_run", false}, {"plan", plan}});
  for (const auto& id : build_records(t)) CHECK_FALSE(made.contains(id));
}
