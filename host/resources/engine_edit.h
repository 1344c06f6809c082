#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace berth::host::resources {

/// A json record that goes in this apply.
struct GiveBack {
  std::string id;
  Json declared, found, applied;  // as its record has them; applied null if it was never marked applied
  bool resumed = false;           // the record was `giving_back` already when this apply began
};

/// A json record that comes, stays or changes in this apply.
struct Declare {
  std::string id;
  Json declared;
  Json found;    // null for a new record
  Json applied;  // null for one that was never marked applied
};

/// What the engine must say once it has been reloaded.
struct EngineExpectation {
  std::optional<bool> live_restore;
  std::vector<std::string> registries;       // must be among its insecure registries
  std::vector<std::string> registries_gone;  // must not
  bool empty() const { return !live_restore && registries.empty() && registries_gone.empty(); }
};

/// One edit of a JSON file for everything that one apply gives back and declares in it. Bytes are absent
/// where there is no file.
struct EngineEdit {
  std::optional<std::string> before;
  std::optional<std::string> reload_with;  // what is written and reloaded: leaving keys stand at their neutral value
  std::optional<std::string> final;        // what is written once the engine has confirmed; mostly the same
  EngineExpectation expect;
  std::vector<std::string> waiting;        // keys that the engine takes at its next start only, and has not yet
  std::map<std::string, Json> found;       // of each Declare, to be recorded durably BEFORE the edit is made
  std::map<std::string, Json> applied;     // of each Declare, to be recorded once it is made
  std::map<std::string, std::string> detail;  // by record id, for the report
  std::map<std::string, bool> changed;        // by record id, Declares and GiveBacks
  std::vector<std::string> made_folders;   // to be removed with the file, deepest first
  bool changes() const { return before != reload_with || before != final; }
};

/// Plans that edit; touches nothing. `give_backs` newest first; `declares` must name EVERY record of this
/// file that stays, unchanged ones too: what they hold is not taken away. A new record's found value is what
/// the records given back had found. Errc::unparsable (line, column) for a file that any supported engine
/// would refuse. `engine` false: an ordinary JSON file, whose keys have no neutral value.
Result<EngineEdit> plan_engine_edit(const std::optional<std::string>& bytes, const std::vector<GiveBack>& give_backs,
                                    const std::vector<Declare>& declares, const std::string& path, bool engine = true);

}  // namespace berth::host::resources
