#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/seam.h"

namespace berth {

/// How a child process ended. `exit_status` is 128 + signal for one that was killed.
struct Finished {
  int exit_status = 0;
  std::string out;
  std::string err;
};

/// Runs `argv` (argv[0] looked up in PATH, no shell) and waits, at most `limit`; then the child's group is
/// killed and the answer is Errc::timeout. Output beyond `max_output` bytes a stream is dropped. Signals
/// that a library made the parent ignore are default again in the child.
Result<Finished> run_process(const std::vector<std::string>& argv, std::chrono::milliseconds limit, Seam& seam,
                             std::string_view input = {}, std::size_t max_output = std::size_t{4} << 20);

/// The same, where any exit status but 0 is an error that quotes what the child said.
Result<std::string> run_checked(const std::vector<std::string>& argv, std::chrono::milliseconds limit, Seam& seam);

}  // namespace berth
