#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "catalogue/facts.h"

namespace berth::catalogue {

/// The facts as the store keeps them (setting "fleet"); grants and manifests have tables of their own.
std::string facts_text(const FleetFacts& facts);
Result<FleetFacts> facts_from(std::string_view text);

}  // namespace berth::catalogue
