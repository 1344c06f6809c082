#pragma once
#include <string>
#include <vector>

#include "host/resources/engine_edit.h"
#include "host/resources/resource.h"

namespace berth::host::resources {

/// Whether this resource is a `json` of the engine's own file (also by another spelling of its path).
bool is_of_engine_file(const World& world, const Json& declared);

/// Reads the engine's file and plans the apply's one edit of it, refusing before anything is written: a file
/// that cannot be parsed (unparsable, line and column), a key that is a flag too (flag_conflict), a key or
/// value that the engine would refuse at its next start (bad_request or conflict, naming the key).
Result<EngineEdit> prepare_engine_edit(World& world, const std::vector<GiveBack>& give_backs,
                                       const std::vector<Declare>& declares);

struct EngineOutcome {
  bool changed = false;   // a byte of the file, or what the engine holds
  bool reloaded = false;
  std::string detail;     // what waits for the engine's next start, and what that start would stop
};

/// Makes a prepared edit: write, one reload, the engine's own event and /info agreeing on every owned key,
/// then the final bytes. Where the engine does not run, only the final bytes. On any refusal the file is put
/// back, reloaded and confirmed, and the error (engine_refused) names the keys that were not taken. Run again
/// after a crash (prepare, then make) it finishes or puts back.
Result<EngineOutcome> make_engine_edit(World& world, const EngineEdit& edit);

}  // namespace berth::host::resources
