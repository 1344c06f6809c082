#include <cstdio>
#include <memory>

#include "base/json.h"
#include "tests/bench/bench.h"

namespace berth::bench {
namespace {

/// The four ways to one engine: its API, the docker command line, the holder's socket, the bus.
struct Ways {
  explicit Ways(const Rig& of) : rig(of), raw(of.engine), holder(of.holder), bus(of.caller()) {}
  void raw_get(const std::string& target) { expect_good(raw.ask("GET", "/v1.41" + target), target); }
  void raw_do(const char* method, const std::string& target, const std::string& body = {}) {
    expect_good(raw.ask(method, "/v1.41" + target, body), target);
  }
  void docker(std::vector<std::string> words) {
    words.insert(words.begin(), {rig.docker, "-H", "unix://" + rig.engine});
    run_quietly(words);
  }
  void verb(const std::string& name, const Json& params) {
    expect_good(holder.ask("POST", "/v1/verbs/" + name, params.dump()), name);
  }
  void bus_verb(const std::string& name, const Json& params) {
    const auto reply = bus->request(rig.subject("read", name), params.dump(), std::chrono::seconds{20});
    if (reply && !reply->headers.contains("Nats-Service-Error-Code")) return;
    std::fprintf(stderr, "bench: %s on the bus failed\n", name.c_str());
    std::exit(1);
  }
  const Rig& rig;
  KeptHttp raw, holder;
  std::unique_ptr<bus::Bus> bus;
};

constexpr int kPeerEvery = 4;  // a process of a tenth of a second

bool within(double ratio, double most) { return ratio <= most; }

Row inspect_row(Ways& ways, const Herd& herd) {
  Row row{.what = "inspect, socket", .floor = {}, .peer = {}, .ours = {}, .goal = "<= 1.5x and <= +0.1 ms; docker 20x", .met = [](const Row& r) {
            return within(r.over_floor(), 1.5) && r.ours.p50_ms() - r.floor.p50_ms() <= 0.1 && r.over_peer() >= 20;
          }};
  const auto& id = herd.ids()[0];
  interleave(ways.rig.rounds, {{&row.floor, [&] { ways.raw_get("/containers/" + id + "/json"); }},
                               {&row.ours, [&] { ways.verb("inspect", {{"container", id}}); }},
                               {&row.peer, [&] { ways.docker({"inspect", id}); }, kPeerEvery}});
  return row;
}

Row list_row(Ways& ways, int containers) {
  Row row{.what = "list of " + std::to_string(containers) + ", socket", .floor = {}, .peer = {}, .ours = {}, .goal = "<= 1.10x; docker 3x",
          .met = [](const Row& r) { return within(r.over_floor(), 1.10) && r.over_peer() >= 3; }};
  interleave(ways.rig.rounds, {{&row.floor, [&] { ways.raw_get("/containers/json?all=1"); }},
                               {&row.ours, [&] { ways.verb("list", Json::object()); }},
                               {&row.peer, [&] { ways.docker({"ps", "-a", "--no-trunc"}); }, kPeerEvery}});
  return row;
}

Row logs_row(Ways& ways, const Herd& herd) {
  Row row{.what = "logs, 200 lines", .floor = {}, .peer = {}, .ours = {}, .goal = "<= 1.15x; docker 8x",
          .met = [](const Row& r) { return within(r.over_floor(), 1.15) && r.over_peer() >= 8; }};
  const auto& id = herd.ids()[0];
  const auto target = "/containers/" + id + "/logs?stdout=1&stderr=1&timestamps=1&tail=200";
  interleave(ways.rig.rounds, {{&row.floor, [&] { ways.raw_get(target); }},
                               {&row.ours, [&] { ways.verb("logs", {{"container", id}}); }},
                               {&row.peer, [&] { ways.docker({"logs", "--tail", "200", id}); }, kPeerEvery}});
  return row;
}

/// Create and remove, start and stop: each turn does one whole life by one of the three ways.
struct Lives {
  Row create{.what = "create, audit included", .floor = {}, .peer = {}, .ours = {}, .goal = "<= 1.10x; docker 3x",
             .met = [](const Row& r) { return within(r.over_floor(), 1.10) && r.over_peer() >= 3; }};
  Row remove{.what = "remove, audit included", .floor = {}, .peer = {}, .ours = {}, .goal = "<= 1.10x; docker 3x",
             .met = [](const Row& r) { return within(r.over_floor(), 1.10) && r.over_peer() >= 3; }};
  Row start{.what = "start, audit included", .floor = {}, .peer = {}, .ours = {}, .goal = "<= 1.02x",
            .met = [](const Row& r) { return within(r.over_floor(), 1.02); }};
  Row stop{.what = "stop t=0, audit included", .floor = {}, .peer = {}, .ours = {}, .goal = "<= 1.03x",
           .met = [](const Row& r) { return within(r.over_floor(), 1.03); }};

  void raw_life(Ways& ways, bool runs) {
    const std::string at = "/containers/bench-life";
    create.floor.add(time_of([&] { ways.raw_do("POST", "/containers/create?name=bench-life", body_of("while true; do sleep 1000; done")); }));
    if (runs) {
      start.floor.add(time_of([&] { ways.raw_do("POST", at + "/start"); }));
      stop.floor.add(time_of([&] { ways.raw_do("POST", at + "/stop?t=0"); }));
    }
    remove.floor.add(time_of([&] { ways.raw_do("DELETE", at); }));
  }
  void our_life(Ways& ways, bool runs) {
    const Json spec = {{"name", "bench-life"}, {"image", "berth-bench-busybox:latest"}, {"start", false}, {"network_mode", "none"},
                       {"command", {"sh", "-c", "while true; do sleep 1000; done"}}, {"labels", {{"berth-bench", "1"}}}};
    const Json named = {{"container", "bench-life"}};
    create.ours.add(time_of([&] { ways.verb("create", spec); }));
    if (runs) {
      start.ours.add(time_of([&] { ways.verb("start", named); }));
      stop.ours.add(time_of([&] { ways.verb("stop", {{"container", "bench-life"}, {"timeout_s", 0}}); }));
    }
    remove.ours.add(time_of([&] { ways.verb("remove", named); }));
  }
  void docker_life(Ways& ways) {
    create.peer.add(time_of([&] { ways.docker({"create", "--name", "bench-life", "--network", "none", "--label", "berth-bench=1",
                                               "berth-bench-busybox:latest", "sh", "-c", "true"}); }));
    remove.peer.add(time_of([&] { ways.docker({"rm", "bench-life"}); }));
  }
};

std::vector<Row> life_rows(Ways& ways) {
  Lives lives;
  for (int round = 0; round < ways.rig.rounds; ++round) {
    const bool runs = round % 2 == 0;  // the half of them: a start takes a quarter of a second
    if (round % 4 < 2) {
      lives.raw_life(ways, runs);
      lives.our_life(ways, runs);
    } else {
      lives.our_life(ways, runs);
      lives.raw_life(ways, runs);
    }
    if (round % 4 == 0) lives.docker_life(ways);
  }
  return {lives.create, lives.remove, lives.start, lives.stop};
}

Row stats_row(Ways& ways, int running) {
  Row row{.what = "stats of " + std::to_string(running) + " that run", .floor = {}, .peer = {}, .ours = {}, .goal = "docker stats / 100",
          .met = [](const Row& r) { return r.over_peer() >= 100; }};
  interleave(std::max(5, ways.rig.rounds / 20), {{&row.ours, [&] { ways.verb("stats", Json::object()); }},
                                                 {&row.peer, [&] { ways.docker({"stats", "--no-stream"}); }}});
  return row;
}

Row fresh_row(Ways& ways, const Herd& herd) {
  Row row{.what = "inspect, a fresh process", .floor = {}, .peer = {}, .ours = {}, .goal = "docker inspect 5x",
          .met = [](const Row& r) { return r.over_peer() >= 5; }};
  const auto& id = herd.ids()[0];
  interleave(std::max(20, ways.rig.rounds / 2), {{&row.floor, [&] { run_quietly({"/bin/true"}); }},
                                                 {&row.ours, [&] { run_quietly({ways.rig.ask, ways.rig.holder, "inspect", id}); }},
                                                 {&row.peer, [&] { ways.docker({"inspect", id}); }}});
  return row;
}

std::vector<Row> bus_rows(Ways& ways, const Herd& herd) {
  const auto echo_side = ways.rig.caller();
  const auto echo = echo_side->subscribe("bench.echo", [&](const bus::Message& m) {
    static_cast<void>(echo_side->publish({.subject = m.reply, .reply = {}, .headers = {}, .data = m.data}));
  });
  const auto& id = herd.ids()[0];
  Row bus{.what = "inspect, bus", .floor = {}, .peer = {}, .ours = {}, .goal = "<= 3x raw", .met = [](const Row& r) { return within(r.over_floor(), 3); }};
  Row list{.what = "list of " + std::to_string(herd.ids().size()) + ", bus", .floor = {}, .peer = {}, .ours = {}, .goal = "<= 1.3x raw",
           .met = [](const Row& r) { return within(r.over_floor(), 1.3); }};
  Samples socket, trip;
  interleave(ways.rig.rounds,
             {{&bus.floor, [&] { ways.raw_get("/containers/" + id + "/json"); }},
              {&bus.ours, [&] { ways.bus_verb("inspect", {{"container", id}}); }},
              {&socket, [&] { ways.verb("inspect", {{"container", id}}); }},
              {&trip, [&] { static_cast<void>(ways.bus->request("bench.echo", std::string(1024, 'x'), std::chrono::seconds{5})); }}});
  interleave(ways.rig.rounds, {{&list.floor, [&] { ways.raw_get("/containers/json?all=1"); }},
                               {&list.ours, [&] { ways.bus_verb("list", Json::object()); }}});
  const double added = bus.ours.p50_ms() - socket.p50_ms();
  Row added_row{.what = "added by the bus (floor: an echo)", .floor = trip, .peer = {}, .ours = {}, .goal = "<= 1.5x of an echo", .met = [](const Row& r) { return within(r.over_floor(), 1.5); }};
  added_row.ours.add(std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double, std::milli>(std::max(added, 0.0))));
  return {bus, list, added_row};
}

}  // namespace

int bench_verbs(const Rig& rig) {
  Ways ways{rig};
  print_head("verbs");
  int missed = 0;
  const auto tell = [&](const Row& row) { missed += print_row(row) ? 0 : 1; };
  {
    const Herd herd{rig, "bench-c-", rig.containers, false};
    expect_good(ways.raw.ask("POST", "/v1.41/containers/" + herd.ids()[0] + "/start"), "start");
    tell(inspect_row(ways, herd));
    tell(list_row(ways, rig.containers));
    tell(logs_row(ways, herd));
    for (const auto& row : life_rows(ways)) tell(row);
    tell(fresh_row(ways, herd));
    for (const auto& row : bus_rows(ways, herd)) tell(row);
  }
  const int running = std::min(rig.containers, 100);
  const Herd herd{rig, "bench-r-", running, true};
  tell(stats_row(ways, running));
  return missed;
}

}  // namespace berth::bench
