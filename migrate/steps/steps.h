#pragma once
#include <span>
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"
#include "migrate/scene.h"

namespace berth::migrate {

/// One step: a row here and a file of its own. The order is fixed; no option skips a gate. `act` is
/// idempotent: a run that was killed calls it again with the same push id, and it asks the machine what came
/// of that.
struct Step {
  int number;
  std::string_view name;
  std::string_view does;  // for plan and docs
  /// What must hold of the whole fleet before any machine begins; null: nothing.
  Status (*fleet_gate)(Scene&);
  /// What must hold of this machine, read from it now. Keeps in work.found what the proof compares with.
  Status (*gate)(Scene&, Work&);
  /// In the transaction that records the intent: what the operator's store must say from here on, and the
  /// pushes.
  Status (*intend)(Books&, const Scene&, Work&);
  Status (*act)(Scene&, Work&);
  Result<Json> (*proof)(Scene&, Work&);
  /// Undoes a done step; answers what was observed then. `proof` is the step's own.
  Result<Json> (*back_out)(Scene&, Work&, const Json& proof);
  /// Canaries go first in every step, one by one; then at most max_parallel machines at once. Step 3 takes one
  /// machine after the other: each changes the broker's one file of permissions, and each change is confirmed.
  bool in_parallel;
};

std::span<const Step> steps();
const Step* find_step(int number);

namespace steps_detail {

Status read_configs_gate(Scene&, Work&);
Status read_configs_intend(Books&, const Scene&, Work&);
Status read_configs_act(Scene&, Work&);
Result<Json> read_configs_proof(Scene&, Work&);
Result<Json> read_configs_back_out(Scene&, Work&, const Json&);

Status hand_over_gate(Scene&, Work&);
Status hand_over_intend(Books&, const Scene&, Work&);
Status hand_over_act(Scene&, Work&);
Result<Json> hand_over_proof(Scene&, Work&);
Result<Json> hand_over_back_out(Scene&, Work&, const Json&);

Status seed_seat_gate(Scene&, Work&);
Status seed_seat_intend(Books&, const Scene&, Work&);
Status seed_seat_act(Scene&, Work&);
Result<Json> seed_seat_proof(Scene&, Work&);
Result<Json> seed_seat_back_out(Scene&, Work&, const Json&);

Status release_host_gate(Scene&, Work&);
Status release_host_act(Scene&, Work&);
Result<Json> release_host_proof(Scene&, Work&);
Result<Json> release_host_back_out(Scene&, Work&, const Json&);

Status remove_cli_fleet_gate(Scene&);
Status remove_cli_gate(Scene&, Work&);
Status remove_cli_act(Scene&, Work&);
Result<Json> remove_cli_proof(Scene&, Work&);
Result<Json> remove_cli_back_out(Scene&, Work&, const Json&);

Status nothing_to_intend(Books&, const Scene&, Work&);

}  // namespace steps_detail
}  // namespace berth::migrate
