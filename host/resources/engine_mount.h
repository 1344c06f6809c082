#pragma once
#include "base/result.h"
#include "holder/client/spec.h"
#include "host/resources/resource.h"

namespace berth::host::resources {

/// Mounting an engine's socket is granted by the seat: a bind that leads, links resolved, to an engine's
/// socket or to a folder of it under /run is Errc::conflict naming both, unless it is the one that the holder
/// states. The catalogue refuses the same by the text of the path; only here can links be seen. Where no
/// holder answers (the command line) nobody states one, and nothing is refused. What cannot be looked at is
/// an error, never a pass.
Status check_engine_mounts(World& world, path::Path& path, const holder::client::ContainerSpec& spec);

}  // namespace berth::host::resources
