#pragma once
#include <memory>
#include <string>

#include "bus/bus.h"
#include "cli/context.h"
#include "migrate/fleet_document.h"

namespace berth::cli {

/// The fleet document that --fleet names; Errc::bad_request when none was given.
Result<migrate::FleetDocument> load_fleet(const Context& context);

/// A connection as the fleet document's bus user. Errc::unreachable with the cause when the broker is not there.
Result<std::unique_ptr<bus::Bus>> connect(const migrate::FleetDocument& fleet, Context& context);

/// "who@where": what a lease, a push and a ledger say of the runner.
std::string runner_name();

}  // namespace berth::cli
