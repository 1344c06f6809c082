#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "host/resources/units.h"

namespace berth::host::resources {

/// One flag on the engine's command line as its unit starts it, and the file it comes from.
struct EngineFlag { std::string flag, key, value, file; };  // key: its name in daemon.json

/// What the effective unit passes to dockerd: unit file, drop-ins, Environment and EnvironmentFile.
struct EngineFlags {
  std::vector<EngineFlag> flags;
  const EngineFlag* of_key(std::string_view key) const;
  /// {"sources": [{"file", "flags": {key: [values]}}], "flags": {key: [values]}, "sha256"}: what host.ask's
  /// snapshot says; sha256 is the canonical hash of "flags", what a push's `expect.flags` is compared with.
  Json document() const;
};

/// `root` stands before the environment files' paths. A missing one with `-` is nothing; without, an error.
Result<EngineFlags> read_engine_flags(const std::vector<UnitFile>& files, const std::string& root);

/// The flag's name in daemon.json ("--insecure-registry" → "insecure-registries"); empty for one without.
std::string key_of_flag(std::string_view flag);

}  // namespace berth::host::resources
