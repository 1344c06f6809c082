#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "holder/boxes/runtime.h"

namespace berth::holder::boxes {

/// The variable that marks a process and all that it starts, so that they can be found and killed: an engine
/// has no call that ends a process it started in a container, and Kubernetes has none either.
inline constexpr const char* kMark = "BERTH_PROCESS";

/// A mark of its own for one process.
std::string new_mark();

/// The command as it is started: in its directory, the rest as it was given. Its shell becomes the command.
/// A directory or a program that is not there ends with 126 or 127 and says so, on every runtime alike.
std::vector<std::string> in_directory(const Command& command);

/// A command that kills whatever bears the mark, is in a session with it, or was started by it. Needs `sh`,
/// `cat` and `sleep`. Ends with 0 when nothing of it is left.
std::vector<std::string> kill_marked(const std::string& mark);

/// Whether a command may be started at all: Errc::bad_request naming the member.
Status check_command(const Command& command);

/// Reads to the end within the bounds, or else `limit`; at the limit it is killed.
Result<RunResult> run_to_end(Stream& stream, const RunBounds& bounds, std::chrono::milliseconds limit);

/// What keeps a box up: a shell that waits, and ends at once when it is told to.
std::vector<std::string> idle_command();

}  // namespace berth::holder::boxes
