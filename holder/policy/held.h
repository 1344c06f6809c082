#pragma once
#include "holder/client/spec.h"
#include "holder/engine/engine.h"

namespace berth::holder::policy {

/// The right to remove one container. Only the functions below make one, so that whatever destroys data is
/// found by searching for this name.
class MayDestroy {
 public:
  const std::string& id() const { return id_; }

 private:
  explicit MayDestroy(std::string id) : id_(std::move(id)) {}
  friend Result<MayDestroy> may_remove(client::Asker asker, const engine::Summary& container);
  friend MayDestroy may_undo_create(const engine::Created& created);
  std::string id_;
};

/// A held container is removed by the host alone: Errc::refused_held names the assignment. A stray is
/// anybody's who has the verb.
Result<MayDestroy> may_remove(client::Asker asker, const engine::Summary& container);

/// What this very call made and does not keep.
MayDestroy may_undo_create(const engine::Created& created);

}  // namespace berth::holder::policy
