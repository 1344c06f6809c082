#pragma once
#include "base/result.h"
#include "migrate/scene.h"

namespace berth::migrate {

/// Takes what the machines have reported and emitted since the last time into the operator's store, so that
/// the audits answer from it. Where it stopped is kept there too; what is known already changes nothing.
Status take_in(Scene& scene);

}  // namespace berth::migrate
