#pragma once
#include <string>
#include <vector>

#include "host/resources/engine_edit.h"
#include "host/resources/resource.h"

namespace berth::host::resources {

/// Whether this resource is a `json` of the engine's own file (also by another spelling of its path).
bool is_of_engine_file(const World& world, const Json& declared);

/// Undoes an edit that a crash cut short: the file's bytes as they were before it, and, where the engine runs,
/// reloaded and confirmed. Nothing to do without one. To be called before a push's `expect` is compared;
/// `prepare_engine_edit` calls it too.
Status recover_engine_file(World& world);

/// Reads the engine's file and plans the apply's one edit of it, refusing before anything is written: a file
/// that cannot be parsed (unparsable, line and column), a key that is a flag too (flag_conflict, `fields` names
/// the keys), a key or value that the engine would refuse at its next start (bad_request or conflict).
Result<EngineEdit> prepare_engine_edit(World& world, const std::vector<GiveBack>& give_backs,
                                       const std::vector<Declare>& declares);

struct EngineOutcome {
  bool changed = false;   // a byte of the file, or what the engine holds
  bool reloaded = false;
  std::string detail;     // what waits for the engine's next start, and what that start would stop
};

/// Makes a prepared edit: write, one reload, the engine's own event and /info agreeing on every owned key,
/// then the final bytes. Where the engine does not run, only the final bytes: it takes them at its start. On
/// any refusal the file is put back, reloaded and confirmed, and the error (engine_refused, `fields`) names the
/// keys that were not taken. After a crash prepare undoes what was begun, and make begins anew.
Result<EngineOutcome> make_engine_edit(World& world, const EngineEdit& edit);

}  // namespace berth::host::resources
