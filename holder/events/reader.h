#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/guarded.h"
#include "holder/engine/engine.h"
#include "holder/events/intake.h"
#include "holder/events/poke.h"

namespace berth::holder::events {

using OpenEngine = std::function<Result<std::unique_ptr<engine::Engine>>()>;
/// Told of edges: the engine's stream is read, or is not any more and why.
using EngineState = std::function<void(bool up, const std::string& why)>;

/// Reads the engine's stream for as long as it runs and hands every event on without waiting: a stream that
/// nobody reads slows the engine for all its clients. Comes back after any loss, from where the keeper is.
class Reader {
 public:
  Reader(OpenEngine open, Intake& intake, const Guarded<std::optional<Time>>& resume_from, EngineState told)
      : open_(std::move(open)), intake_(intake), resume_from_(resume_from), told_(std::move(told)) {}

  /// The thread's body.
  void run(std::stop_token stop);

 private:
  Status read_once(std::stop_token stop, bool after_loss);
  void tell(bool up, const std::string& why);

  OpenEngine open_;
  Intake& intake_;
  const Guarded<std::optional<Time>>& resume_from_;
  EngineState told_;
  std::optional<bool> last_told_;
  Poke pause_;
};

}  // namespace berth::holder::events
