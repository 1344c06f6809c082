#pragma once
#include <optional>
#include <string>
#include <vector>

#include "host/resources/engine_edit.h"
#include "host/resources/resource.h"

namespace berth::host::resources {

/// How to take back an edit of the engine's file that is under way; durable from before its first byte is
/// written until the engine has confirmed it.
struct EngineUndo {
  std::optional<std::string> before;         // the file's bytes
  std::vector<std::string> written;          // sha256 of every text the edit may leave in the file
  std::optional<path::EngineView> view;      // what the engine held; absent where it did not run
  EngineExpectation touched;                 // which keys the edit is about
  std::vector<std::string> folders;          // made for the file, deepest first
};

Result<std::optional<EngineUndo>> read_undo(const World& world);
Status write_undo(World& world, const EngineUndo& undo);
Status drop_undo(World& world);

/// Writes the engine's file, or removes it where there shall be none.
Status write_engine_file(World& world, const std::optional<std::string>& bytes);

/// Puts the file back byte for byte; where the engine runs it is reloaded on bytes that also make it hold
/// again what it held, and confirmed, first. Ends by dropping the undo.
Status put_engine_file_back(World& world, EngineUndo undo);

}  // namespace berth::host::resources
