#pragma once
#include <map>
#include <string>

#include "base/result.h"
#include "host/resources/resource.h"

namespace berth::host::apply {

/// What a push may expect of the engine's file, unit and flags: their sha256, computed as docs/formats.md
/// says.
struct Hashes {
  std::string file, unit, flags;
};
Result<Hashes> read_hashes(resources::World& world);

/// Errc::drift naming both hashes when one of the expected ones differs. Reads only what is expected.
Status check_expect(const std::map<std::string, std::string>& expect, resources::World& world);

}  // namespace berth::host::apply
