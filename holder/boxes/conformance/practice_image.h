#pragma once
#include <string>

#include "base/result.h"
#include "base/seam.h"

namespace berth::holder::boxes::conformance {

/// A tar of a small root file system around this machine's static busybox, with the account `box`: enough of
/// a box image to try every rule in.
Result<std::string> practice_image_tar(Seam& seam);

inline constexpr const char* kPracticeRepository = "berth-box-practice";

}  // namespace berth::holder::boxes::conformance
