#include "holder/verbs/tally.h"

namespace berth::holder::verbs {

std::string_view to_text(Face face) { return face == Face::socket ? "socket" : "bus"; }

std::int64_t Tally::Verb::requests() const {
  std::int64_t all = 0;
  for (const auto& [outcome, count] : outcomes) all += count;
  return all;
}

std::int64_t Tally::Verb::errors() const {
  const auto good = outcomes.find("ok");
  return requests() - (good == outcomes.end() ? 0 : good->second);
}

void Tally::add(Face face, std::string_view verb, const std::string& outcome, std::chrono::nanoseconds took,
                const std::string& error) {
  const auto seconds = std::chrono::duration<double>(took).count();
  verbs_.with([&](auto& verbs) {
    auto& row = verbs[{face, std::string{verb}}];
    ++row.outcomes[outcome];
    row.took += took;
    for (std::size_t i = 0; i < kBuckets.size(); ++i) row.buckets[i] += seconds <= kBuckets[i] ? 1 : 0;
    if (!error.empty()) row.last_error = error.substr(0, 256);
  });
}

void Tally::add_busy(Face face) {
  busy_.with([&](auto& busy) { ++busy[face]; });
}

std::map<Tally::Key, Tally::Verb> Tally::verbs() const {
  return verbs_.with([](const auto& verbs) { return verbs; });
}

std::map<Face, std::int64_t> Tally::busy() const {
  return busy_.with([](const auto& busy) { return busy; });
}

}  // namespace berth::holder::verbs
