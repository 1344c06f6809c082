#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "migrate/machine_run.h"

namespace berth::migrate {

/// One step over its machines: one after the other, or, for a step that allows it, the canaries first and
/// then at most `max_parallel` at once. A machine whose gate refuses stops itself alone; after a failure no
/// new machine begins, and those in flight end what they do.
Result<std::map<std::string, MachineEnd>> run_step(Scene& scene, const Step& step,
                                                   const std::vector<std::string>& machines);

}  // namespace berth::migrate
