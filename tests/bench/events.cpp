#include <fcntl.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/json.h"
#include "tests/bench/bench.h"

namespace berth::bench {
namespace {

using When = std::chrono::steady_clock::time_point;

/// When each event was there, by who tells it and what it is of.
class Arrivals {
 public:
  void add(const std::string& event) {
    const auto now = std::chrono::steady_clock::now();
    const std::scoped_lock lock{mutex_};
    times_.emplace(event, now);
    came_.notify_all();
  }
  bool wait_for(std::size_t count) {
    std::unique_lock lock{mutex_};
    return came_.wait_for(lock, std::chrono::seconds{30}, [&] { return times_.size() >= count; });
  }
  std::map<std::string, When> times() const {
    const std::scoped_lock lock{mutex_};
    return times_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable came_;
  std::map<std::string, When> times_;
};

/// Reads the engine's stream on a connection of its own until the container named last is gone.
void read_directly(const Rig& rig, Arrivals& arrivals, std::size_t wanted) {
  KeptHttp engine{rig.engine};
  engine.begin(R"(/v1.41/events?filters=%7B%22type%22%3A%5B%22container%22%5D%7D)");
  for (std::size_t seen = 0; seen < wanted;) {
    const auto event = Json::parse(engine.next_chunk(), nullptr, false);
    if (!event.is_object()) continue;
    const auto action = event.value("Action", "");
    if (action != "create" && action != "destroy") continue;
    arrivals.add((action == "create" ? "created " : "removed ") + event["Actor"]["ID"].get<std::string>());
    ++seen;
  }
}

/// What one durable write of a commit's size costs here, in the same run.
Samples commits(const Rig& rig, int rounds) {
  Samples samples;
  const OwnedFd file{::open((rig.folder + "/commit").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
  const std::string page(4096, 'x');
  for (int i = 0; i < rounds; ++i) {
    samples.add(time_of([&] {
      if (::pwrite(file.get(), page.data(), page.size(), (i % 16) * 4096) < 0 || ::fdatasync(file.get()) != 0) std::abort();
    }));
  }
  return samples;
}

}  // namespace

int bench_events(const Rig& rig) {
  const auto bus = rig.caller();
  if (const auto made = bus->ensure_stream({.name = "BERTH_MESH_EVENTS", .subjects = {"mesh.*.node-container-runtime.event.*"}}); !made) {
    std::fprintf(stderr, "bench: %s\n", to_text(made.error()).c_str());
    std::exit(1);
  }
  Arrivals direct, heard;
  const auto take = [&](const char* kind) {
    return bus->subscribe("mesh.bench.node-container-runtime.event." + std::string{kind}, [&heard, kind = std::string{kind}](const bus::Message& m) {
      heard.add(kind + " " + Json::parse(m.data).value("container", ""));
    });
  };
  const auto created = take("created"), removed = take("removed");
  const auto rounds = static_cast<std::size_t>(rig.rounds);
  std::jthread reader{[&] { read_directly(rig, direct, 2 * rounds); }};
  std::this_thread::sleep_for(std::chrono::milliseconds{500});  // the streams are open
  KeptHttp engine{rig.engine};
  for (std::size_t i = 0; i < rounds; ++i) {
    expect_good(engine.ask("POST", "/v1.41/containers/create?name=bench-event", body_of("true")), "create");
    expect_good(engine.ask("DELETE", "/v1.41/containers/bench-event"), "remove");
  }
  const bool all = direct.wait_for(2 * rounds) && heard.wait_for(2 * rounds);
  const auto commit = commits(rig, rig.rounds);
  Row row{.what = "an event, bus after a direct reader", .floor = commit, .peer = {}, .ours = {},
          .goal = "p50 <= +0.5 ms, p99 <= +2 ms, plus one commit (the floor)",
          .met = [](const Row& r) { return r.ours.p50_ms() <= 0.5 + r.floor.p50_ms() && r.ours.p99_ms() <= 2 + r.floor.p99_ms(); }};
  for (const auto& [event, at] : heard.times()) {
    const auto times = direct.times();
    const auto there = times.find(event);
    if (there != times.end()) row.ours.add(at - there->second);
  }
  print_head("events");
  const int missed = print_row(row) ? 0 : 1;
  if (all) return missed;
  std::printf("not every event came: %zu of %zu on the bus\n", heard.times().size(), 2 * rounds);
  return missed + 1;
}

}  // namespace berth::bench
