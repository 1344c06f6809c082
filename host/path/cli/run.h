#pragma once
#include <chrono>
#include <string>

#include "base/result.h"
#include "base/seam.h"
#include "host/path/cli/arguments.h"

namespace berth::host::path::cli {

inline constexpr std::chrono::seconds kCallBound{20};
inline constexpr std::chrono::seconds kPullBound{600};

/// Runs the runtime's command line and waits. What it says is told apart: an engine (or program) that is not
/// there is Errc::engine_unreachable, an unknown object Errc::not_found, a name in use Errc::conflict, all
/// else Errc::engine_refused with its words kept.
Result<std::string> docker(const Arguments& arguments, std::chrono::milliseconds limit, Seam& seam);

/// The same, when a part of the answer is worth having although the command failed in part.
struct Said {
  int exit_status = 0;
  std::string out, err;
};
Result<Said> docker_said(const Arguments& arguments, std::chrono::milliseconds limit, Seam& seam);
Error refusal(const Arguments& arguments, const Said& said);

}  // namespace berth::host::path::cli
