#include "holder/serve/box_side.h"

#include "base/error.h"
#include "base/log.h"
#include "holder/boxes/verbs/store_ledger.h"

namespace berth::holder::serve {

BoxSide::~BoxSide() = default;

Result<std::unique_ptr<BoxSide>> BoxSide::start(const HolderConfig& config, verbs::Recorder& recorder) {
  std::unique_ptr<BoxSide> side{new BoxSide};
  if (!config.boxes) return side;
  const auto& boxes = *config.boxes;
  auto store = TRY(store::Store::open(config.store, store::Role::holder, system_clock(), no_faults()));
  side->ledger_ = std::make_unique<boxes::verbs::StoreLedger>(std::move(store));
  std::shared_ptr<boxes::Runtime> runtime = TRY(
      boxes::make_runtime(boxes, {config.engine_socket, config.engine_kind}, *side->ledger_, no_faults()));
  if (const auto prepared = runtime->prepare(); !prepared)
    log::warn("the box runtime is not ready: it is tried again with each call",
              {{"why", to_text(prepared.error())}});
  side->runtime_.set(std::move(runtime));
  side->dispatcher_ = std::make_unique<boxes::verbs::BoxDispatcher>(boxes, side->runtime_, recorder);
  side->face_ = TRY(BoxFace::open({.socket = boxes.socket, .uids = boxes.uids}, *side->dispatcher_));
  log::info("serving boxes", {{"socket", boxes.socket.native()}, {"image", boxes.image}});
  return side;
}

}  // namespace berth::holder::serve
