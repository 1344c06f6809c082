#include "tests/bench/samples.h"

#include <algorithm>
#include <cstdio>

namespace berth::bench {
namespace {

std::string figure(const Samples& samples) {
  if (samples.empty()) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.3f (%.3f) n=%zu", samples.p50_ms(), samples.p99_ms(), samples.size());
  return text;
}

std::string ratio(const Samples& over, const Samples& under) {
  if (over.empty() || under.empty()) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.2fx", over.p50_ms() / under.p50_ms());
  return text;
}

}  // namespace

double Samples::quantile_ms(double part) const {
  if (all_.empty()) return 0;
  auto sorted = all_;
  std::ranges::sort(sorted);
  const auto place = static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1));
  return std::chrono::duration<double, std::milli>(sorted[place]).count();
}

Nanoseconds time_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::steady_clock::now() - start;
}

void print_head(const std::string& title) {
  std::printf("\n%s: p50 (p99) in ms\n", title.c_str());
  std::printf("%-34s %-28s %-28s %-28s %9s %9s  %s\n", "what", "floor", "peer", "ours", "ours/fl.", "peer/ours", "goal");
}

bool print_row(const Row& row) {
  const bool met = !row.met || (!row.ours.empty() && row.met(row));
  const auto* verdict = !row.met ? "" : met ? ": met" : ": MISSED";
  std::printf("%-34s %-28s %-28s %-28s %9s %9s  %s%s\n", row.what.c_str(), figure(row.floor).c_str(), figure(row.peer).c_str(),
              figure(row.ours).c_str(), ratio(row.ours, row.floor).c_str(), ratio(row.peer, row.ours).c_str(), row.goal.c_str(), verdict);
  std::fflush(stdout);
  return met;
}

void interleave(int rounds, const std::vector<Way>& ways) {
  for (const auto& way : ways) way.work();  // once for warmth
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const auto& way = ways[(i + static_cast<std::size_t>(round)) % ways.size()];
      if (round % way.every == 0) way.samples->add(time_of(way.work));
    }
  }
}

}  // namespace berth::bench
