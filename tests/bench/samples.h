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

/// Prints the table; answers how many goals were missed.
int print(const std::string& title, const std::vector<Row>& rows);

/// Each way once a round, in an order that changes: so that a machine that gets slower gets slower for all.
void interleave(int rounds, const std::vector<std::pair<Samples*, std::function<void()>>>& ways);

}  // namespace berth::bench
