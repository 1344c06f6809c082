#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::catalogue {

/// One setting of a module: what it is when nobody says, what it means, what changing it costs. A default
/// of null means that the module does not own it: what it would fill is left out.
struct SettingRow {
  std::string fallback;  // JSON text
  std::string meaning;
  std::string cost;  // none, reload, restart, recreate
};

/// A seat that a module can hold, with what it serves and emits there.
struct Claim {
  std::string seat;
  std::vector<std::string> verbs;
  std::vector<std::string> events;
};

/// A module as its manifest says. `resources` is the list as it stands there, placeholders unfilled, JSON
/// text; each resource was checked against its type's members.
struct Manifest {
  std::string name;
  std::vector<Claim> claims;
  std::vector<std::string> capabilities;
  std::map<std::string, SettingRow> settings;
  std::string resources;
  std::vector<std::string> tools;

  const Claim* claim_of(std::string_view seat) const;
};

/// Parses strictly; an error names the file, the path inside it and the reason.
Result<Manifest> parse_manifest(std::string_view text, std::string_view file);

/// The manifests that ship with berth (schema/modules), by name.
Result<std::map<std::string, Manifest>> shipped_manifests();
/// Their texts, by file.
std::map<std::string, std::string> shipped_manifest_texts();

}  // namespace berth::catalogue
