#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "base/seam.h"
#include "host/path/path.h"

namespace berth::host::resources {

/// Everything an act may touch, injected so that a test can stand in for any of it.
struct World {
  Seam& seam;
  const Clock& clock;
  class Units& units;            // systemd (resources/units.h)
  class Packages& packages;      // the package manager (resources/packages.h)
  path::Path* path = nullptr;    // the runtime; null where no release path answers
  std::string root;              // "" on a machine; a folder that stands for / in tests
};

/// What an act did. `applied` is kept in the record (a container's id and hash, the bytes written) and is
/// what give_back and the next apply compare with.
struct Acted {
  bool changed = false;
  Json applied;
  std::string detail;            // for the report: what was done or is still waiting
};

/// One type of resource: one file, one row in resources/types.cpp. All four are idempotent: run again
/// after a crash they finish or find nothing to do. `declared` is the resolved resource document.
struct Type {
  std::string_view name;
  /// Refuses a malformed declaration naming the field; touches nothing.
  Status (*check)(const Json& declared);
  /// What is there now, enough to give it back byte for byte. Read-only.
  Result<Json> (*read)(World&, const Json& declared);
  /// Makes the machine as declared. `found` is what was there before the first apply, `before` what the
  /// last apply kept (null the first time).
  Result<Acted> (*apply)(World&, const Json& declared, const Json& found, const Json& before);
  /// Puts the machine back as found. `before` is what the last apply kept.
  Result<Acted> (*give_back)(World&, const Json& declared, const Json& found, const Json& before);
};

/// The visible table of types: package, service, file, json, container, process.
const Type* find_type(std::string_view name);
std::vector<std::string_view> type_names();

}  // namespace berth::host::resources
