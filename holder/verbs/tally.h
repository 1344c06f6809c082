#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "base/guarded.h"
#include "holder/verbs/call.h"

namespace berth::holder::verbs {

std::string_view to_text(Face face);

/// What was asked since the start, and how long it took: for /metrics and the bus's service statistics. Any
/// thread.
class Tally {
 public:
  /// Upper ends of the histogram, in seconds; what took longer counts in none of them.
  static constexpr std::array<double, 9> kBuckets = {0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 20, 120};

  struct Verb {
    std::map<std::string, std::int64_t> outcomes;  // "ok" or an error code
    std::array<std::int64_t, kBuckets.size()> buckets{};
    std::chrono::nanoseconds took{0};
    std::string last_error;

    std::int64_t requests() const;
    std::int64_t errors() const;
  };
  using Key = std::pair<Face, std::string>;  // a verb's name, or "unknown"

  void add(Face face, std::string_view verb, const std::string& outcome, std::chrono::nanoseconds took,
           const std::string& error);
  /// A call that never came to the dispatcher: its face's line was full.
  void add_busy(Face face);
  std::map<Key, Verb> verbs() const;
  std::map<Face, std::int64_t> busy() const;

 private:
  Guarded<std::map<Key, Verb>> verbs_;
  Guarded<std::map<Face, std::int64_t>> busy_;
};

}  // namespace berth::holder::verbs
