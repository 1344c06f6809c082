// libFuzzer's way into one target, which the build names.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/fuzz.h"

void berth::fuzz::broken(const std::string& what) {
  std::fprintf(stderr, "does not hold: %s\n", what.c_str());
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  berth::fuzz::BERTH_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
