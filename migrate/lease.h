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

/// Claims the lease: a token above the highest that any host that answers, the last lease message or this
/// store names. Of two that claim at once one gets Errc::stale, naming the other. `taken_from` is whoever
/// held it before, if that was somebody else.
Result<Lease> claim_lease(const FleetDocument& fleet, std::string_view runner, Port& port,
                          store::Store& store, std::optional<Lease>& taken_from);

/// The same for who has no store yet: above `known`, in the name of its runner.
Result<Lease> claim_above(const FleetDocument& fleet, const Lease& known, Port& port, const std::string& now,
                          std::optional<Lease>& taken_from);
Status keep_lease(store::Store& store, const FleetDocument& fleet, const Lease& mine);

/// Asked before each act: Errc::stale names the runner that has claimed the lease since.
Status check_lease(const Lease& mine, Port& port);

}  // namespace berth::migrate
