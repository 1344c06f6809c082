#pragma once
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "holder/engine/cgroups.h"

namespace berth::holder::engine {

/// Stats from the kernel's accounting. A percentage needs two samples: the earlier one is that of the call
/// before, if that is neither too close nor long ago, and else is taken now, a tenth of a second before. Any thread.
class KernelStats {
 public:
  explicit KernelStats(Cgroups cgroups = Cgroups{}) : cgroups_(std::move(cgroups)) {}

  struct Read {
    std::vector<Stats> rows;
    std::vector<std::string> unread;  // to be asked of the engine
  };
  Read read(const std::vector<std::string>& ids);

 private:
  using Earlier = std::map<std::string, Sample::Cpu>;
  Earlier earlier_samples(const std::vector<std::string>& ids, const Cgroups::Counters& machine);

  Cgroups cgroups_;
  Guarded<Earlier> kept_;
};

}  // namespace berth::holder::engine
