#pragma once
#include <memory>

#include "base/result.h"
#include "holder/serve/box_face.h"
#include "holder/serve/holder_config.h"

namespace berth::holder::serve {

/// All that serves boxes: the runtime that the configuration names, its ledger in the holder's store, and the
/// boxes' socket. Nothing without `boxes` in the configuration. Neither the engine nor the API server needs
/// to be there. Owned by main; `recorder` outlives it.
class BoxSide {
 public:
  static Result<std::unique_ptr<BoxSide>> start(const HolderConfig& config, verbs::Recorder& recorder);
  ~BoxSide();

 private:
  BoxSide() = default;

  std::unique_ptr<boxes::Ledger> ledger_;
  boxes::RuntimeSlot runtime_;
  std::unique_ptr<boxes::verbs::BoxDispatcher> dispatcher_;
  std::unique_ptr<BoxFace> face_;
};

}  // namespace berth::holder::serve
