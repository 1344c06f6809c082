#pragma once
#include "base/guarded.h"
#include "holder/boxes/ledger.h"
#include "store/store.h"

namespace berth::holder::boxes::verbs {

/// Which container is which box, in the holder's store: it outlives the holder. Any thread; has a store
/// connection of its own.
class StoreLedger final : public Ledger {
 public:
  explicit StoreLedger(store::Store store) : store_(std::move(store)) {}

  Result<std::optional<std::string>> recorded(const Place& place) override;
  Status record(const Place& place, const std::string& id) override;
  Status forget(const Place& place) override;

 private:
  Guarded<store::Store> store_;
};

}  // namespace berth::holder::boxes::verbs
