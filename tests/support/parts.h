#pragma once
#include <string>

namespace berth::test {

/// Whether the real part named by an environment variable is here, and its value. Without it the case is
/// skipped loudly, or fails when BERTH_NO_SKIP=1 says that nothing may be missing.
bool part_present(const char* env, std::string& value);

}  // namespace berth::test
