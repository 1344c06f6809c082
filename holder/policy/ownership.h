#pragma once
#include <string>

#include "holder/engine/engine.h"

namespace berth::holder::policy {

/// Whether `caller` may join this network or mount this volume: its own by label, of the plain kind. A held
/// one is Errc::refused_held naming the assignment, a volume with options (it may be a host path under a
/// volume's name) Errc::refused_root_equivalent, another's Errc::not_granted. `field` names the member.
Status judge_network(const engine::Engine::Network& network, const std::string& caller,
                     const std::string& field);
Status judge_volume(const engine::Engine::Volume& volume, const std::string& caller,
                    const std::string& field);

}  // namespace berth::holder::policy
