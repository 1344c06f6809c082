#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "migrate/fleet_document.h"
#include "migrate/port.h"
#include "store/store.h"

namespace berth::migrate {

/// Who may act on the fleet. Hosts refuse a push with an older token, so a runner whose lease was taken can
/// do no harm; nothing expires by the clock.
struct Lease {
  std::int64_t token = 0;
  std::string runner;
};

struct Claimed {
  Lease lease;
  std::optional<Lease> taken_from;  // whoever held it before, if that was somebody else
  bool first_here = false;          // no runner has ever claimed it from this store
};

/// Claims the lease: a token above the highest that any host that answers, the last lease message or this
/// store names. Of two that claim at once one gets Errc::stale, naming the other.
Result<Claimed> claim_lease(const FleetDocument& fleet, std::string_view runner, Port& port, store::Store& store);

/// The same for who has no store yet: above `known`, in the name of its runner.
Result<Claimed> claim_above(const FleetDocument& fleet, const Lease& known, Port& port, const std::string& now);
Status keep_lease(store::Store& store, const FleetDocument& fleet, const Lease& mine);

/// For a person, who has it now and who had it.
std::string tell_taken(const Lease& before, const Lease& now);

/// Asked before each act: Errc::stale names the runner that has claimed the lease since.
Status check_lease(const Lease& mine, Port& port);

}  // namespace berth::migrate
