#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "holder/client/spec.h"

namespace berth::host::path::cli {

using Arguments = std::vector<std::string>;

/// The arguments of one `docker create`, every value an argument of its own and never read by a shell. What
/// the command line cannot say (a health check in exec form) is refused naming the member.
Result<Arguments> create_arguments(const holder::client::ContainerSpec& spec);

}  // namespace berth::host::path::cli
