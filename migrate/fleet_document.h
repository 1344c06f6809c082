#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/names.h"
#include "base/result.h"
#include "bus/bus.h"
#include "catalogue/facts.h"

namespace berth::migrate {

/// The fleet document (docs/formats.md), read strictly: every refusal names the file, the member and the
/// reason, and nothing has happened yet. A value; its paths are absolute.
struct FleetDocument {
  std::filesystem::path path;
  FleetName name;
  bus::BusConfig bus;                 // the operator's own log-in
  catalogue::FleetFacts facts;        // all that the catalogue needs, manifests read
  std::vector<std::string> machines;  // names, in name order
  std::vector<std::string> canary;
  std::int64_t max_parallel = 1;
  std::optional<std::chrono::seconds> release_deadline;  // for a new release to prove itself on a machine

  /// The document as it stands, with the sha256 of each manifest beside it: {"document", "manifests"}; and
  /// its canonical hash, which a migration belongs to.
  std::string text;
  std::string hash;

  static Result<FleetDocument> load(const std::filesystem::path& path);

  const catalogue::MachineFacts& machine(std::string_view name) const;
  /// The artifact of a release ("with_holder", "without_cli") for a machine's platform.
  Result<catalogue::ArtifactFacts> artifact(std::string_view release, std::string_view machine) const;
  std::string version(std::string_view release) const;
};

}  // namespace berth::migrate
