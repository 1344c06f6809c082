#pragma once
#include "holder/client/spec.h"
#include "holder/engine/engine.h"

namespace berth::holder::policy {

/// Whether the container the engine made is the one that was composed: labels, mounts, networks, privileged
/// and added capabilities. A difference is Errc::engine_refused saying what differs.
Status judge_read_back(const client::ContainerSpec& composed, const engine::Engine::Image& image,
                       const engine::Inspected& made);

}  // namespace berth::holder::policy
