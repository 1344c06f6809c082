#pragma once
#include <functional>
#include <memory>

#include "base/guarded.h"
#include "holder/engine/engine.h"

namespace berth::holder::verbs {

/// The engine as it answers now: opened when it is first asked for, and again after it was lost, so that the
/// holder starts and stays up without one. Any thread; opens outside its lock.
class EngineSlot {
 public:
  using Open = std::function<Result<std::shared_ptr<engine::Engine>>()>;
  explicit EngineSlot(Open open) : open_(std::move(open)) {}

  /// Errc::engine_unreachable naming the socket and the cause.
  Result<std::shared_ptr<engine::Engine>> engine();
  /// This one did not answer: the next call opens a new one, which may be another version.
  void lost(const std::shared_ptr<engine::Engine>& engine);
  /// Whether there is one that answered when it was last asked.
  bool is_open() const {
    return current_.with([](const auto& engine) { return engine != nullptr; });
  }

 private:
  Open open_;
  Guarded<std::shared_ptr<engine::Engine>> current_;
};

}  // namespace berth::holder::verbs
