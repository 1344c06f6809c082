#pragma once
#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/seam.h"

namespace berth::host::release {

/// The folder a link points at; Errc::not_found when there is no link.
Result<std::filesystem::path> link_target(const std::filesystem::path& link);

/// Points a link at another folder in one step: whoever looks finds the old release or the new one.
Status point_link(const std::filesystem::path& link, const std::filesystem::path& target, Seam& seam);

}  // namespace berth::host::release
