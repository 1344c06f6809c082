#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "base/result.h"
#include "base/seam.h"
#include "holder/boxes/config.h"
#include "holder/boxes/ledger.h"
#include "holder/engine/engine.h"

namespace berth::holder::boxes {

/// The engine that the Docker runtime speaks to.
struct EngineAt {
  std::string socket;
  std::optional<engine::Kind> kind;
};

/// The runtime that the configuration names. Neither the engine nor the API server needs to answer yet.
/// `ledger` and `seam` outlive it.
Result<std::unique_ptr<Runtime>> make_runtime(const BoxesConfig& config, const EngineAt& engine,
                                              Ledger& ledger, Seam& seam);

/// The runtime of this process: set once at the start. Asking without one set is an error. Any thread.
class RuntimeSlot {
 public:
  void set(std::shared_ptr<Runtime> runtime) {
    runtime_.with([&](auto& current) { current = std::move(runtime); });
  }
  Result<std::shared_ptr<Runtime>> runtime() const {
    auto current = runtime_.with([](const auto& now) { return now; });
    if (!current) return fail(Errc::failed, "no box runtime is set: the configuration has no `boxes`");
    return current;
  }

 private:
  Guarded<std::shared_ptr<Runtime>> runtime_;
};

}  // namespace berth::holder::boxes
