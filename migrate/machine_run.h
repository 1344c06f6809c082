#pragma once
#include <string>

#include "base/result.h"
#include "migrate/scene.h"
#include "migrate/steps/steps.h"

namespace berth::migrate {

/// How one machine left a step: running means that nothing is known yet of what was asked of it.
enum class Ended { done, gate_refused, failed, running };

/// Carries one machine through one step: gate, intent, act, proof, each where the ledger says it is needed.
/// The answer is an error only when the ledger itself cannot be written.
struct MachineEnd {
  Ended how = Ended::done;
  std::string detail;
  Errc code = Errc::failed;
};
Result<MachineEnd> run_machine(Scene& scene, const Step& step, const std::string& machine);

/// Undoes a done step of one machine.
Result<MachineEnd> undo_machine(Scene& scene, const Step& step, const std::string& machine);

}  // namespace berth::migrate
