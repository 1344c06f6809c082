#pragma once
#include <filesystem>

#include "base/result.h"
#include "base/seam.h"

namespace berth::host::release {

/// Unpacks a checked .tar.gz into a folder that is there and empty, owned by us, nothing outside of it.
Status unpack(const std::filesystem::path& archive, const std::filesystem::path& folder, Seam& seam);

/// Everything under a folder, and the folder, on the disk before its name is.
Status sync_tree(const std::filesystem::path& folder);

}  // namespace berth::host::release
