#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/seam.h"

namespace berth::cli {

/// The whole program but for its process: reads the words, runs the command, says what went wrong in one line
/// (with --output json as a problem document) and answers the exit status: 0 done, 1 failed, 2 usage, 3
/// refused by a rule, 4 not reachable.
int run(const std::vector<std::string>& words, std::ostream& out, std::ostream& err, bool colour, const Clock& clock,
        Seam& seam);

}  // namespace berth::cli
