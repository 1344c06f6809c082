#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "base/seam.h"
#include "host/path/path.h"

namespace berth::host::resources {

class Units;
class Packages;
class Accounts;

/// Brings a release or an artifact onto the machine, its sha256 and signature checked; staged already is
/// success. Answers the release's folder as a path on the machine. Implemented by host/release.
class Stager {
 public:
  virtual ~Stager() = default;
  virtual Result<std::string> stage(const Json& artifact, const std::string& version) = 0;
};

/// Waits; a test's does not.
void pause_for(std::chrono::milliseconds time);

/// Everything an act may touch, injected so that a test can stand in for any of it.
struct World {
  Seam& seam;
  const Clock& clock;
  Units& units;                  // systemd (resources/units.h)
  Packages& packages;            // the package manager (resources/packages.h)
  path::Path* path = nullptr;    // the runtime; null where no release path answers
  std::string root = {};         // "" on a machine; a folder that stands for / in tests
  Stager* stager = nullptr;      // for `process` alone
  Accounts* accounts = nullptr;  // for `process` alone (resources/accounts.h); null: the machine's own
  std::string engine_file = "/etc/docker/daemon.json";  // host.json engine_file
  std::string engine_unit = "docker.service";           // host.json engine_unit
  std::function<void(std::chrono::milliseconds)> pause = pause_for;
  bool keeps_containers = false;  // a whole push: what would replace a container fails instead
};

/// What an act did. `applied` is kept in the record (a container's id and hash, the bytes written) and is
/// what give_back and the next apply compare with.
struct Acted {
  bool changed = false;
  Json applied = nullptr;
  std::string detail = {};                 // for the report: what was done or is still waiting
  std::string_view action = "unchanged";   // the report's word: unchanged, created, updated, adopted, given_back
};

/// One type of resource: one file, one row in resources/types.cpp. All are idempotent: run again after a
/// crash they finish or find nothing to do. `declared` is the resolved resource document, checked.
/// A `json` resource of the engine's file goes another way: see engine_edit.h and engine_apply.h.
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
  /// What on the machine it is about: a path, unit, name. A record whose target changes is given back first.
  std::string (*target)(const Json& declared);
  /// `found` with what was there of the members a later declaration adds, to be recorded before it is
  /// applied; what `found` holds already never changes. Null where `read` sees the same for every declaration.
  Result<Json> (*widen)(World&, const Json& declared, const Json& found) = nullptr;
};

/// The visible table of types: package, user, service, file, json, container, process.
const Type* find_type(std::string_view name);
std::vector<std::string_view> type_names();

}  // namespace berth::host::resources
