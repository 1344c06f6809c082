#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace berth::bench {

using Nanoseconds = std::chrono::nanoseconds;

/// What one way of doing a thing took, time by time.
class Samples {
 public:
  void add(Nanoseconds took) { all_.push_back(took); }
  std::size_t size() const { return all_.size(); }
  bool empty() const { return all_.empty(); }
  double p50_ms() const { return quantile_ms(0.50); }
  double p99_ms() const { return quantile_ms(0.99); }
  double quantile_ms(double part) const;

 private:
  std::vector<Nanoseconds> all_;
};

Nanoseconds time_of(const std::function<void()>& work);

/// A row of the table: one thing done by the raw floor, by a peer and by berth, turn by turn in one run.
struct Row {
  std::string what;
  Samples floor, peer, ours;
  std::string goal;                    // in words, as the design has it
  std::function<bool(const Row&)> met;  // empty: measured, without a goal
  double over_floor() const { return ours.p50_ms() / floor.p50_ms(); }
  double over_peer() const { return peer.p50_ms() / ours.p50_ms(); }
};

/// The head of a table, and a row of it as soon as it is measured; true if its goal was met, or it has none.
void print_head(const std::string& title);
bool print_row(const Row& row);

/// One way of doing a thing, `every` how many rounds: a slow peer need not be measured as often.
struct Way {
  Samples* samples;
  std::function<void()> work;
  int every = 1;
};
/// Each way once a round, in an order that changes: so that a machine that gets slower gets slower for all.
void interleave(int rounds, const std::vector<Way>& ways);

}  // namespace berth::bench
