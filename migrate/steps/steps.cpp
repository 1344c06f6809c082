#include "migrate/steps/steps.h"

#include <algorithm>

namespace berth::migrate {
namespace {

using namespace steps_detail;  // NOLINT: this file is the table of them

constexpr Step kStepTable[] = {
    {1, "read-configs", "reads the engine's configuration and everything that runs; changes nothing", nullptr,
     read_configs_gate, read_configs_intend, read_configs_act, read_configs_proof, read_configs_back_out,
     true},
    {2, "hand-over",
     "gives the engine's package, file and service to the runtime module, with one reload, and starts the "
     "holder",
     nullptr, hand_over_gate, hand_over_intend, hand_over_act, hand_over_proof, hand_over_back_out, true},
    {3, "seed-seat",
     "seeds the seat, registers the holder, issues its subjects and renders the broker's permissions",
     nullptr, seed_seat_gate, seed_seat_intend, seed_seat_act, seed_seat_proof, seed_seat_back_out, false},
    {4, "release-host", "switches the host to the release that reaches the runtime through the holder",
     nullptr, release_host_gate, nothing_to_intend, release_host_act, release_host_proof,
     release_host_back_out, true},
    {5, "remove-cli-path", "switches the host to the release that has no command-line path",
     remove_cli_fleet_gate, remove_cli_gate, nothing_to_intend, remove_cli_act, remove_cli_proof,
     remove_cli_back_out, true},
};

}  // namespace

namespace steps_detail {
Status nothing_to_intend(Books&, const Scene&, Work&) { return {}; }
}  // namespace steps_detail

std::span<const Step> steps() { return kStepTable; }

const Step* find_step(int number) {
  const auto* at = std::ranges::find(kStepTable, number, &Step::number);
  return at == std::end(kStepTable) ? nullptr : at;
}

}  // namespace berth::migrate
