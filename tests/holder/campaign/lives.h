#pragma once
// Who drives the containers, and keeps book of what must be told of each.
#include <atomic>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "holder/engine/engine.h"
#include "tests/holder/campaign/truth.h"
#include "tests/support/fakes.h"

namespace berth::test::campaign {

/// Several threads take lives from one counter; each has its own connection and its own dice.
class Lives {
 public:
  Lives(std::string socket, int count, unsigned seed)
      : socket_(std::move(socket)), count_(count), seed_(seed) {}

  /// The body of one driving thread.
  void drive(unsigned who);
  int begun() const { return begun_; }
  /// The engine was killed: what lives now, lived through that.
  void engine_was_killed() { ++kills_; }

  std::vector<Life> all();
  void remove_all();

 private:
  class Driver;
  std::string socket_;
  int count_;
  unsigned seed_;
  ScriptedSeam seam_;
  std::atomic<int> begun_ = 0;
  std::atomic<int> kills_ = 0;
  std::mutex mutex_;
  std::vector<Life> lives_;
};

}  // namespace berth::test::campaign
