#pragma once
#include <filesystem>
#include <string>

#include "base/result.h"

namespace berth::holder::serve {

/// Reads the configuration and serves until SIGTERM or SIGINT. Neither the engine nor the bus needs to be
/// there. An error says why it could not begin, or what ended it. `program` is this one's path, for sudo.
Status run_holder(const std::filesystem::path& config, const std::string& version, const std::string& program);

}  // namespace berth::holder::serve
