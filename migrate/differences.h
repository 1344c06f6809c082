#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "catalogue/compose.h"
#include "migrate/fleet_document.h"

namespace berth::migrate {

/// One key of the engine's configuration as it was found, and what the runtime module would make of it.
struct KeyFinding {
  std::string key;
  std::optional<std::string> found;     // JSON text; empty: the key is not there
  std::string owner;                    // a record id, "flag" or "hand"; "none" when it is not there
  std::optional<std::string> planned;   // JSON text; empty: the module does not write it
  std::string setting;                  // the setting that decides it; empty when none does
  std::optional<std::string> decision;  // default, keep, setting; empty: nothing to decide, or undecided
  bool undecided = false;
  std::string why;                   // what would happen to it, for a person
  std::vector<std::string> choices;  // JSON objects for machines.<m>.settings.<module>, one a way to decide
};

/// Compares a snapshot (host.ask) with what the runtime module would write. Every difference that takes away
/// or replaces a value needs a decision: a setting of the module named in the fleet document, its default
/// too, or the key under "keep". `manifest` is the runtime module's, whose placeholders say which setting
/// decides which key.
Result<std::vector<KeyFinding>> compare_keys(const Json& snapshot, const catalogue::PlannedEngine& planned,
                                             const Json& manifest, const FleetDocument& fleet,
                                             std::string_view machine);

/// The undecided ones as lines to paste into the fleet document, each way to decide one; empty when all is
/// decided.
std::string lines_to_paste(const std::vector<KeyFinding>& findings, std::string_view module,
                           std::string_view machine);

}  // namespace berth::migrate
