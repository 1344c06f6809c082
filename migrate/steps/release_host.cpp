// Step 4: the host reaches the runtime through the holder.
#include "migrate/releasing.h"
#include "migrate/steps/steps.h"

namespace berth::migrate::steps_detail {

Status release_host_gate(Scene& scene, Work& work) { return ready_for_release(scene, work); }

Status release_host_act(Scene& scene, Work& work) { return switch_release(scene, work, "with_holder"); }

Result<Json> release_host_proof(Scene& scene, Work& work) {
  return prove_release(scene, work, scene.fleet.version("with_holder"), "holder");
}

Result<Json> release_host_back_out(Scene& scene, Work& work, const Json& proof) {
  return back_to(scene, work, TRY(version_before(proof, work)), "cli");
}

}  // namespace berth::migrate::steps_detail
