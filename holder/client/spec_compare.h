#pragma once
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "holder/client/spec.h"

namespace berth::holder::client {

/// The members of the spec that a container does not have as they say: every member the spec states, and of
/// those it leaves to their default the ones that would make the container more than was asked for (rights,
/// namespaces of others, published ports). `inspected` is the engine's own document of the container, in
/// Docker's form. Name and state are not compared. Empty: it may be taken over as it is.
std::vector<std::string> spec_differences(const ContainerSpec& spec, const Json& inspected);

}  // namespace berth::holder::client
