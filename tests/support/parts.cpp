#include "tests/support/parts.h"

#include <cstdlib>
#include <iostream>

#include "catch.h"

namespace berth::test {

bool part_present(const char* env, std::string& value) {
  const char* set = std::getenv(env);
  if (set != nullptr && *set != '\0') {
    value = set;
    return true;
  }
  const char* strict = std::getenv("BERTH_NO_SKIP");
  if (strict != nullptr && std::string{strict} == "1") FAIL("nothing may be skipped, but " << env << " is not set");
  std::cerr << "SKIPPED: a test needs " << env << '\n';
  return false;
}

}  // namespace berth::test
