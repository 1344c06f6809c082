#include "host/serve/daemon.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <thread>

#include "base/parts.h"
#include "bus/bus.h"
#include "bus/whole.h"
#include "tests/host/apply/world.h"
#include "tests/host/serve/event_source.h"
#include "tests/support/nats_server.h"

using namespace berth;
using namespace berth::test;

namespace {

/// berth-host run, on a thread of this process, with a real broker and an engine in memory.
class Daemon {
 public:
  explicit Daemon(const NatsServer& server, host::path::Linked ways = kStartRelease,
                  std::chrono::seconds apply_every = std::chrono::seconds{1})
      : linked(ways) {
    engine_here() = &engine;
    root.put("/etc/machine-id", std::string{kMachineId} + "\n");
    root.put("/etc/berth/.keep", "");
    config.fleet = "mesh";
    config.machine = "birch";
    config.bus = bus::BusConfig{};
    config.bus->url = server.url();
    config.subjects = {"mesh.birch.host.push", "mesh.birch.host.ask", "mesh.birch.host.report"};
    config.store = folder / "host.db";
    config.holder_socket = "/run/berth/holder.sock";
    config.seat_file = "/etc/berth/seat.json";
    config.releases = "/opt/berth/releases";
    config.apply_every = apply_every;
    config.engine_file = kFile;
    config.engine_unit = "docker.service";
    start();
  }
  ~Daemon() {
    if (thread_.joinable()) stop();
  }
  void start() {
    thread_ = std::thread{[this] {
      ended =
          host::serve::run_daemon(config, "/etc/berth/host.json", {linked, "1.0.0", root.path}, no_faults());
    }};
  }
  void stop() {
    ::pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
  }

  host::path::Linked linked;
  TempRoot root;
  TempFolder folder;
  FakeEngine engine{root.at(kFile)};
  host::Config config;
  Status ended = fail(Errc::failed, "runs");

 private:
  std::thread thread_;
};

std::unique_ptr<bus::Bus> connect(const NatsServer& server) {
  bus::BusConfig config;
  config.url = server.url();
  return must(bus::Bus::connect(config, no_faults(), std::chrono::seconds{10}));
}

/// Asks until there is an answer: the daemon may still be starting.
Json request(bus::Bus& bus, const std::string& subject, const Json& body) {
  for (int i = 0; i < 100; ++i) {
    const auto answer = bus.request(subject, body.dump(), std::chrono::seconds{5});
    if (answer) return must(parse_json(answer->data, "the answer"));
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  FAIL("no answer on " + subject);
  return {};
}

Json push_of(int sequence, const std::string& content) {
  return {{"push_id", "p" + std::to_string(sequence)},
          {"fleet", "mesh"},
          {"machine", "birch"},
          {"machine_id", kMachineId},
          {"token", 1},
          {"sequence", sequence},
          {"kind", "apply"},
          {"declaration",
           {{"modules",
             {{{"name", "net"},
               {"resources",
                {{{"id", "conf"},
                  {"type", "file"},
                  {"path", "/etc/net.conf"},
                  {"mode", "0644"},
                  {"content", content}}}}}}}}}};
}

/// A push of a hundred files of 200 bytes: it, its report and the records are each larger than four kilobytes.
Json large_push() {
  auto push = push_of(1, "");
  auto& resources = push["declaration"]["modules"][0]["resources"];
  resources = Json::array();
  for (int i = 0; i < 100; ++i) {
    const auto name = "conf-" + std::to_string(i);
    resources.push_back({{"id", name}, {"type", "file"}, {"path", "/etc/many/" + name}, {"mode", "0644"},
                         {"content", std::string(200, static_cast<char>('a' + i % 26))}});
  }
  return push;
}

Json whole_request(bus::Bus& bus, const std::string& subject, const Json& body) {
  const auto answer = must(bus::request_whole(bus, subject, body.dump(), std::chrono::seconds{10}));
  return must(parse_json(answer.data, "the answer"));
}

bool comes_true(const std::function<bool()>& what) {
  for (int i = 0; i < 600; ++i) {
    if (what()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
  return false;
}

std::size_t reports_of(bus::Bus& bus, const std::string& push_id) {
  const auto messages =
      bus::read_wholes(bus, "BERTH_MESH_REPORTS", "mesh.*.host.report", 1, 100, std::chrono::milliseconds{500});
  std::size_t count = 0;
  if (!messages) return 0;
  for (const auto& one : *messages)
    count += must(parse_json(one.message.data, "a report"))["push_id"] == Json(push_id) ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a push over the bus is answered, carried out, and its report reaches the stream", "[nats]") {
  NatsServer server;
  server.start();
  const auto bus = connect(server);
  must(bus->ensure_stream({"BERTH_MESH_REPORTS", {"mesh.*.host.report"}}));
  Daemon daemon(server);
  CHECK(request(*bus, "mesh.birch.host.push", push_of(1, "1\n")) ==
        Json{{"push_id", "p1"}, {"accepted", true}, {"sequence", 1}});
  CHECK(comes_true([&] {
    return request(*bus, "mesh.birch.host.ask", {{"what", "push"}, {"push_id", "p1"}})["state"] == "applied";
  }));
  CHECK(daemon.root.read("/etc/net.conf") == "1\n");
  CHECK(comes_true([&] { return reports_of(*bus, "p1") == 1; }));
  CHECK(request(*bus, "mesh.birch.host.ask", {{"what", "status"}})["host_version"] == "1.0.0");
  CHECK(request(*bus, "mesh.birch.host.push", push_of(1, "1\n"))["accepted"] == true);
  auto stale = push_of(1, "0\n");
  stale["push_id"] = "other";
  CHECK(request(*bus, "mesh.birch.host.push", stale)["code"] == "stale");
  CHECK(request(*bus, "mesh.birch.host.ask", {{"what", "weather"}})["code"] == "bad_request");
  CHECK(request(*bus, "mesh.birch.host.ask", {{"what", "confirm"}, {"push_id", "never"}})["code"] ==
        "not_found");
  const auto garbage =
      must(bus->request("mesh.birch.host.ask", "{\"what\": \"status\"", std::chrono::seconds{5}));
  CHECK(must(parse_json(garbage.data, "x"))["code"] == "bad_request");
  daemon.stop();
  CHECK(daemon.ended.ok());
}

TEST_CASE("with the broker away the machine is kept as declared, and what it had to say arrives later",
          "[nats]") {
  NatsServer server;
  server.start();
  auto bus = connect(server);
  must(bus->ensure_stream({"BERTH_MESH_REPORTS", {"mesh.*.host.report"}}));
  Daemon daemon(server);
  request(*bus, "mesh.birch.host.push", push_of(1, "1\n"));
  REQUIRE(comes_true([&] { return reports_of(*bus, "p1") >= 1; }));
  server.kill();
  daemon.root.put("/etc/net.conf", "by hand");
  CHECK(comes_true([&] { return daemon.root.read("/etc/net.conf") == "1\n"; }));  // within apply_every_s
  server.start();
  CHECK(comes_true([&] { return reports_of(*bus, "p1") >= 2; }));
  daemon.stop();
  daemon.start();
  CHECK(request(*bus, "mesh.birch.host.ask", {{"what", "push"}, {"push_id", "p1"}})["state"] == "applied");
}

TEST_CASE("what failed is tried again within seconds, long before the next apply is due", "[nats]") {
  NatsServer server;
  server.start();
  const auto bus = connect(server);
  must(bus->ensure_stream({"BERTH_MESH_REPORTS", {"mesh.*.host.report"}}));
  Daemon daemon(server, kStartRelease, std::chrono::seconds{300});
  daemon.root.put("/etc/net.conf/in-the-way", "a folder where the file is to be");
  request(*bus, "mesh.birch.host.push", push_of(1, "1\n"));
  const auto state = [&] {
    return request(*bus, "mesh.birch.host.ask", {{"what", "push"}, {"push_id", "p1"}})["state"];
  };
  REQUIRE(comes_true([&] { return state() == "failed"; }));
  std::filesystem::remove_all(daemon.root.at("/etc/net.conf"));
  CHECK(comes_true([&] { return state() == "applied"; }));  // the first try after 5 s, the second 10 s later
  CHECK(daemon.root.read("/etc/net.conf") == "1\n");
}

TEST_CASE("a push, its report and the answers about it go in parts over a broker that takes less, and hold up nothing",
          "[nats][parts]") {
  NatsServer server{"", "max_payload: 4096"};
  server.start();
  const auto bus = connect(server);
  must(bus->ensure_stream({"BERTH_MESH_REPORTS", {"mesh.*.host.report"}}));
  Daemon daemon(server, kStartRelease, std::chrono::seconds{300});
  request(*bus, "mesh.birch.host.ask", {{"what", "status"}});  // it is there
  const auto push = large_push();
  REQUIRE(push.dump().size() > 4096 * 4);
  const std::string nobodys(20000, 'n');
  CHECK(whole_request(*bus, "mesh.birch.host.ask", {{"what", "push"}, {"push_id", nobodys}}) ==
        Json{{"push_id", nobodys}, {"state", "unknown"}, {"report", nullptr}, {"before", Json::array()}, {"after", Json::array()}});
  CHECK(whole_request(*bus, "mesh.birch.host.push", push) == Json{{"push_id", "p1"}, {"accepted", true}, {"sequence", 1}});
  CHECK(comes_true([&] {
    return whole_request(*bus, "mesh.birch.host.ask", {{"what", "push"}, {"push_id", "p1"}})["state"] == "applied";
  }));
  CHECK(daemon.root.read("/etc/many/conf-39") == std::string(200, 'n'));
  CHECK(whole_request(*bus, "mesh.birch.host.ask", {{"what", "records"}})["records"].size() == 100);
  CHECK(comes_true([&] { return reports_of(*bus, "p1") == 1; }));
  const auto kept = must(bus->read_stream("BERTH_MESH_REPORTS", ">", 1, 100, std::chrono::milliseconds{0}));
  CHECK(std::ranges::any_of(kept, [](const bus::StreamMessage& one) { return is_part(one.message.data); }));
  auto small = push_of(2, "2\n");
  small["give_back"] = Json::array();
  for (int i = 0; i < 100; ++i) small["give_back"].push_back("net.conf-" + std::to_string(i));
  CHECK(whole_request(*bus, "mesh.birch.host.push", small)["accepted"] == true);
  CHECK(comes_true([&] { return reports_of(*bus, "p2") == 1; }));
  CHECK(request(*bus, "mesh.birch.host.ask", {{"what", "part"}, {"whole", "x"}, {"part", 1}})["code"] == "not_found");
}

TEST_CASE("half a push is nothing: a host that restarts among its parts has taken none", "[nats][parts]") {
  NatsServer server{"", "max_payload: 4096"};
  server.start();
  const auto bus = connect(server);
  Daemon daemon(server, kStartRelease, std::chrono::seconds{300});
  request(*bus, "mesh.birch.host.ask", {{"what", "status"}});
  const auto parts = must(split(large_push().dump(), "p1", 3000));
  const auto say = [&](std::size_t i) { return request(*bus, "mesh.birch.host.push", must(parse_json(parts[i].document(), "part"))); };
  CHECK(say(0)["have"] == parts[1].at);
  CHECK(say(0)["have"] == parts[1].at);
  daemon.stop();
  daemon.start();
  CHECK(say(1)["field"] == "part");
  CHECK(request(*bus, "mesh.birch.host.ask", {{"what", "push"}, {"push_id", "p1"}})["state"] == "unknown");
  CHECK(whole_request(*bus, "mesh.birch.host.push", large_push())["accepted"] == true);
}

TEST_CASE(
    "a held container's end is answered by an apply within a second, and so is a gap in the holder's events",
    "[nats]") {
  NatsServer server;
  server.start();
  const auto bus = connect(server);
  Daemon daemon(server, kBothRelease, std::chrono::seconds{300});
  auto source = std::make_unique<EventSource>(daemon.root.at("/run/berth/holder.sock"));
  request(*bus, "mesh.birch.host.push", push_of(1, "1\n"));
  REQUIRE(comes_true([&] {
    return request(*bus, "mesh.birch.host.ask", {{"what", "push"}, {"push_id", "p1"}})["state"] == "applied";
  }));
  REQUIRE(comes_true([&] { return source->connections() == 1; }));
  const auto restored_within = [&](std::chrono::milliseconds limit) {
    const auto until = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < until) {
      if (daemon.root.read("/etc/net.conf") == "1\n") return true;
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    return false;
  };
  daemon.root.put("/etc/net.conf", "by hand");
  source->says("{\"kind\": \"started\", \"mesh_held\": true, \"name\": \"page\"}\n");
  CHECK_FALSE(restored_within(std::chrono::milliseconds{300}));
  source->says("{\"kind\": \"removed\", \"mesh_held\": true, \"name\": \"page\"}\n");
  CHECK(restored_within(std::chrono::seconds{60}));  // the next apply by itself is in 300 s
  // The holder goes and comes again: what happened meanwhile is unknown.
  source.reset();
  daemon.root.put("/etc/net.conf", "by hand");
  source = std::make_unique<EventSource>(daemon.root.at("/run/berth/holder.sock"));
  CHECK(restored_within(std::chrono::seconds{60}));
}
