#pragma once
#include <string>

#include "base/result.h"
#include "migrate/lease.h"
#include "migrate/ledger.h"
#include "migrate/migrate.h"

namespace berth::migrate {

/// A migration ready to be carried on: the document judged and taken into the catalogue, the streams there,
/// the lease claimed, the rows there. `closed` when every step was done before.
struct Opened {
  Lease lease;
  Ledger ledger;
};
Result<Opened> open_for_work(const FleetDocument& fleet, const Options& options, Site& site,
                             Observer& observer);

/// A changed document alone, before any run: judged and taken into catalogue and ledger, whole or not at all.
Status adopt_document(const FleetDocument& fleet, store::Store& store, Observer& observer);

/// Names of options.machines, all of the document where none is named. Errc::bad_request for a stranger.
Result<std::vector<std::string>> chosen_machines(const FleetDocument& fleet, const Options& options);

}  // namespace berth::migrate
