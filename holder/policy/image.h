#pragma once
#include "holder/client/spec.h"
#include "holder/engine/engine.h"

namespace berth::holder::policy {

/// Whether a bus caller may make a container of this image with this spec: no label of the mesh's (it would
/// become the container's), no volume at a place a caller may not name, no init system as its command.
Status judge_image(const engine::Engine::Image& image, const client::ContainerSpec& spec);

}  // namespace berth::holder::policy
