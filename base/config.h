#pragma once
#include <filesystem>

#include "base/json_fwd.h"
#include "base/result.h"

namespace berth {

/// A configuration or document file as strict JSON. Errors name the file.
Result<Json> read_document(const std::filesystem::path& path);

}  // namespace berth
