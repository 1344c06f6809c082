#pragma once
#include <vector>

#include "migrate/rebuild/fill.h"

namespace berth::migrate::rebuild_detail {

/// A machine that was heard, what it shows, and the proofs of its done steps from the first on.
struct Judged {
  const Heard& heard;
  StreamsSeen seen;
  Placed placed;
  std::vector<Json> proofs = {};
};

/// The migration's rows, by the ledger's own rules. One that is more than a step behind the others was set
/// aside while they went on, and is again; so is every machine that could not be asked, with no step of its.
Status write_ledger(store::Store& store, const Material& material, std::vector<Judged>& all, Filled& filled);

}  // namespace berth::migrate::rebuild_detail
