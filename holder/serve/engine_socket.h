#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "base/guarded.h"
#include "base/result.h"

namespace berth::holder::serve {

/// Why this process must be started anew, told by whichever thread finds out; it wakes `wait_for_the_end`.
using Hopeless = Guarded<std::string>;

/// Makes a holder that its engine's socket refuses ask for it through sudo, by `program`'s own path; where
/// that cannot work, `hopeless` is told and SIGTERM ends the process.
void help_with_access(const std::string& program, const std::shared_ptr<Hopeless>& hopeless);

/// `berth-holder engine-socket`: run as root by sudo, with a holder's socket as its standard input. The path
/// is the configuration's, which must be root's alone: whoever may write it chooses what root connects to.
Status hand_over_engine_socket(const std::filesystem::path& config);

/// This program as it was started ("/opt/berth/holder/bin/berth-holder"), which is how sudoers names it.
std::string own_path(const char* argv0);

}  // namespace berth::holder::serve
