#include "holder/verbs/engine_slot.h"

namespace berth::holder::verbs {

using Shared = std::shared_ptr<engine::Engine>;

Result<Shared> EngineSlot::engine() {
  if (auto current = current_.with([](const Shared& engine) { return engine; })) return current;
  const Shared opened = TRY(open_());
  return current_.with([&](Shared& current) {
    if (!current) current = opened;  // another call may have been quicker
    return current;
  });
}

void EngineSlot::lost(const Shared& engine) {
  current_.with([&](Shared& current) {
    if (current == engine) current = nullptr;
  });
}

}  // namespace berth::holder::verbs
