#pragma once
#include <vector>

#include "migrate/rebuild/ledger_again.h"

namespace berth::migrate::rebuild_detail {

/// What was only in the lost store, and what the machines show that the fleet document does not give.
Status find_losses(store::Store& store, const Material& material, const std::vector<Judged>& all,
                   Filled& filled);

/// In the store itself, where `status` and `berth audit lost` find it.
Status keep_losses(store::Store& store, const Material& material, const Filled& filled);

Json losses_document(const std::vector<Loss>& lost);

}  // namespace berth::migrate::rebuild_detail
