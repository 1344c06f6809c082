#include <atomic>
#include <cstdio>
#include <thread>

#include "base/json.h"
#include "tests/bench/bench.h"

namespace berth::bench {
namespace {

struct Counts {
  std::atomic<long> good = 0, busy = 0, bad = 0;
};

/// One caller: reads of several kinds, as fast as they are answered.
void call_on(const Rig& rig, const Herd& herd, std::size_t number, const std::atomic<bool>& over, Counts& counts, Samples& took) {
  const auto bus = rig.caller();
  for (std::size_t turn = number; !over; ++turn) {
    const auto& id = herd.ids()[turn % herd.ids().size()];
    const bool list = turn % 16 == 0;
    const Json params = list ? Json{{"limit", 20}} : Json{{"container", id}};
    Result<bus::Message> reply = fail(Errc::failed, "not asked");
    took.add(time_of([&] { reply = bus->request(rig.subject("read", list ? "list" : "inspect"), params.dump(), std::chrono::seconds{20}); }));
    const bool refused = reply && reply->headers.contains("Nats-Service-Error-Code");
    if (reply && !refused)
      ++counts.good;
    else if (refused && reply->data.find("\"busy\"") != std::string::npos)
      ++counts.busy;
    else
      ++counts.bad;
  }
}

}  // namespace

int bench_load(const Rig& rig, std::chrono::seconds duration) {
  const Herd herd{rig, "bench-l-", 20, false};
  Counts counts;
  std::atomic<bool> over = false;
  std::vector<Samples> took(64);
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < took.size(); ++i)
    callers.emplace_back([&, i] { call_on(rig, herd, i, over, counts, took[i]); });
  std::this_thread::sleep_for(duration);
  over = true;
  for (auto& caller : callers) caller.join();
  double worst = 0;
  for (const auto& one : took) worst = std::max(worst, one.p99_ms());
  std::printf("\n64 callers at once on the bus for %ld s: %ld answered, %ld told busy, %ld errors; the worst caller's p99 %.1f ms\n",
              static_cast<long>(duration.count()), counts.good.load(), counts.busy.load(), counts.bad.load(), worst);
  return counts.bad == 0 && counts.good > 0 ? 0 : 1;
}

}  // namespace berth::bench
