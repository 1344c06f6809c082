#pragma once
#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/seam.h"

namespace berth::host::release {

/// Brings what a file://, http:// or https:// address holds into `file`, at most 1 GiB. Bounded by silence:
/// 20 s without a byte end it. No other scheme, no redirect to another scheme. A server of https:// must show a
/// certificate that the machine trusts, or one of `authority`, a PEM file, when that is not empty.
Status fetch(const std::string& url, const std::filesystem::path& file, const std::string& authority, Seam& seam);

}  // namespace berth::host::release
