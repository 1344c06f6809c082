#include "holder/policy/held.h"

namespace berth::holder::policy {

Result<MayDestroy> may_remove(client::Asker asker, const engine::Summary& container) {
  if (asker == client::Asker::host || !container.mesh_held()) return MayDestroy{container.id};
  auto error = fail_field(Errc::refused_held, "container",
                          container.name + " is held by assignment \"" + container.assignment +
                              "\": only the host removes it, and would make it again at its next apply");
  error.assignment = container.assignment;
  return error;
}

MayDestroy may_undo_create(const engine::Created& created) { return MayDestroy{created.id}; }

}  // namespace berth::holder::policy
