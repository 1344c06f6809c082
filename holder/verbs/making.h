#pragma once
#include "base/json_fwd.h"
#include "holder/policy/held.h"
#include "holder/verbs/session.h"

namespace berth::holder::verbs {

/// The only way from a verb to the engine's remove.
Status remove_container(Session& session, const policy::MayDestroy& may, bool force, bool volumes);

/// The two ways to a container: a bus caller's, judged, forced and read back; and the host's.
Result<Json> create_for_bus(Session& session, const Json& params);
Result<Json> create_for_host(Session& session, const Json& params);

/// Starts what was just made, if asked for. One that the engine says cannot start is removed again, so that
/// the same request can be sent once its cause is gone; where the outcome is unknown it stays.
Status start_made(Session& session, const client::ContainerSpec& spec, const engine::Created& created);

/// {"id", "name", "warnings", "mesh_held", "assignment"}
Json made_document(const engine::Summary& container, const engine::Created& created);

}  // namespace berth::holder::verbs
