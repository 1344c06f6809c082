#pragma once
#include <map>
#include <string>
#include <vector>

#include "migrate/lease.h"
#include "migrate/rebuild/evidence.h"

namespace berth::migrate::rebuild_detail {

/// All that the new store is made of.
struct Material {
  const FleetDocument& fleet;
  Port& port;
  const Options& options;        // `machines`: those that a person goes on without
  std::vector<Heard> heard;      // by name
  std::vector<Unheard> unheard;  // each of them among those
  bool begun = false;            // a runner had this fleet's lease before
  Lease lease;
};

/// A machine in the new store.
struct Placed {
  std::string machine;
  int highest = 0;
  std::string aside;  // why it is set aside; empty: it takes part
  std::int64_t pushes = 0, reports = 0, events = 0;
};

struct Filled {
  std::string migration;  // empty: none has begun
  std::vector<Placed> machines;
  std::vector<Loss> lost;
};

/// Writes it all. Machines that turn out to be beyond judging and that nobody goes on without are left in
/// `unheard`, with Errc::conflict: the store is not to be kept then.
Status fill_store(store::Store& store, Material& material, Filled& filled);

}  // namespace berth::migrate::rebuild_detail
