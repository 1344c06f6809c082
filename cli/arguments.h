#pragma once
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"

namespace berth::cli {

/// What the words of a command line came to: the options of every command, and the command to run.
struct Invocation {
  Globals globals;
  std::function<Result<int>(Context&)> command;
};

/// Reads the words after the program's name. Nothing to run when help or the version was asked for and is
/// printed to `out`; Errc::bad_request says what is wrong with the words. The one unit that sees CLI11.
Result<std::optional<Invocation>> parse_arguments(const std::vector<std::string>& words, std::ostream& out);

}  // namespace berth::cli
