#pragma once
#include <string>

#include "base/result.h"
#include "base/seam.h"
#include "holder/client/spec.h"

namespace berth::host::path::cli {

/// Makes what the spec names and is missing (networks, volumes, labelled with the assignment), then the
/// container, joins its further networks and starts it if asked. A container that could not be finished
/// is removed again: half of one would be taken for the declared one.
Result<std::string> create_container(const holder::client::ContainerSpec& spec, Seam& seam);

}  // namespace berth::host::path::cli
