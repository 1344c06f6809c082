#pragma once
#include <string>
#include <string_view>

#include "base/names.h"
#include "base/result.h"

namespace berth::bus {

// The one place that composes subjects. The catalogue issues what these answer; every other program uses the
// subjects it was issued, and composes none.

inline constexpr std::string_view kSeat = "node-container-runtime";

/// mesh.alder.node-container-runtime.event.created
std::string event_subject(const FleetName& fleet, const MachineName& machine, std::string_view kind);
/// mesh.alder.node-container-runtime.act.stop.<caller>; `verb_class` is read or act.
std::string verb_subject(const FleetName& fleet, const MachineName& machine, std::string_view verb_class,
                         std::string_view verb, const CallerName& caller);
/// The same for every caller: what a holder subscribes to.
std::string verb_pattern(const FleetName& fleet, const MachineName& machine, std::string_view verb_class,
                         std::string_view verb);
/// mesh.alder.host.push; `what` is push, ask or report.
std::string host_subject(const FleetName& fleet, const MachineName& machine, std::string_view what);
/// mesh.lease: who runs the fleet's migration.
std::string lease_subject(const FleetName& fleet);

/// BERTH_MESH_EVENTS, BERTH_MESH_REPORTS, BERTH_MESH_LEASE; `what` is EVENTS, REPORTS or LEASE.
std::string stream_name(const FleetName& fleet, std::string_view what);

/// `_INBOX.<user>`: where the replies to one bus user come; BusConfig::inbox_prefix.
std::string inbox_prefix(std::string_view user);

/// Who called: the subject's last token, which the broker lets nobody else publish to.
Result<CallerName> caller_of(std::string_view subject);
/// Whether `reply` is in the caller's own inbox. A reply to any other subject would make the holder publish
/// where the caller may not.
bool replies_to_caller(std::string_view reply, const CallerName& caller);

}  // namespace berth::bus
