#include "holder/engine/kernel_stats.h"

#include <thread>

namespace berth::holder::engine {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kShortest{100};
constexpr milliseconds kLongest{30'000};

bool is_usable(const Sample::Cpu& sample, Time now) {
  return now - sample.at >= kShortest && now - sample.at <= kLongest;
}

}  // namespace

KernelStats::Earlier KernelStats::earlier_samples(const std::vector<std::string>& ids,
                                                  const Cgroups::Counters& machine) {
  auto earlier = kept_.with([](const Earlier& kept) { return kept; });
  const auto now = system_clock().now();
  std::erase_if(earlier, [&](const auto& row) { return !is_usable(row.second, now); });
  bool waits = false;
  for (const auto& id : ids) {
    if (earlier.contains(id)) continue;
    const auto sample = cgroups_.read(id, machine);
    if (!sample || !sample->cpu) continue;
    earlier[id] = *sample->cpu;
    waits = true;
  }
  if (waits) std::this_thread::sleep_for(kShortest);
  return earlier;
}

KernelStats::Read KernelStats::read(const std::vector<std::string>& ids) {
  const auto machine = cgroups_.machine_counters();
  const auto earlier = earlier_samples(ids, machine);
  Read answer;
  Earlier latest;
  for (const auto& id : ids) {
    auto sample = cgroups_.read(id, machine);
    if (!sample) {
      answer.unread.push_back(id);
      continue;
    }
    const auto before = earlier.find(id);
    if (before != earlier.end()) sample->stats.cpu_percent = cpu_percent(before->second, sample->cpu);
    latest[id] = *sample->cpu;
    answer.rows.push_back(std::move(sample->stats));
  }
  kept_.with([&](Earlier& kept) {
    const auto now = system_clock().now();
    std::erase_if(kept, [&](const auto& row) { return now - row.second.at > kLongest; });
    for (auto& [id, cpu] : latest) {
      auto& row = kept[id];
      if (row.used_ns == 0 || is_usable(row, now)) row = cpu;  // calls close together keep the older one
    }
  });
  return answer;
}

}  // namespace berth::holder::engine
