#pragma once
#include <filesystem>
#include <string>

#include "base/result.h"

namespace berth::holder::serve {

/// verify, backup FILE, restore FILE of the store that this configuration names; what was done, as a line of
/// JSON.
Result<std::string> keep_store(const std::filesystem::path& config, const std::string& act,
                               const std::string& file);

}  // namespace berth::holder::serve
