#pragma once
#include <string_view>

#include "base/result.h"

namespace berth {

/// Asked right before every act on a file, a unit, the engine, the bus or a store, with what is about to
/// be done ("file.rename") and to what. A test makes the act fail by answering an error, or the process
/// die by not returning. Programs use `no_faults()`. Any thread.
class Seam {
 public:
  virtual ~Seam() = default;
  virtual Status before(std::string_view act, std::string_view target) = 0;
};

/// Lets everything through, except that in a program started with BERTH_DIE_AT=<act>[:<n>] the n-th such
/// act (the first by default) ends the process at once, as a power cut would; BERTH_FAIL_AT=<act>[:<n>]
/// makes it fail instead. Both exist so that the real programs can be killed at an exact place.
Seam& no_faults();

}  // namespace berth
