#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "holder/engine/parse.h"

namespace berth::holder::engine {

/// A container's accounting as the kernel keeps it, which is where the engines look too, and a hundred times
/// sooner there than through them. Both versions of control groups; the groups are found where an engine puts
/// them unless told otherwise. Reads files alone; any thread.
class Cgroups {
 public:
  /// Bytes received and sent, by interface.
  using Counters = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;

  explicit Cgroups(std::filesystem::path groups = "/sys/fs/cgroup", std::filesystem::path processes = "/proc");

  /// Absent where the container's groups are not in the usual places, or this account may not read them: then
  /// the engine is asked. A file that is missing is a reading that is absent, and a container on the machine's own network has no
  /// counters of its own.
  std::optional<Sample> read(const std::string& id, const Counters& machine) const;
  /// The machine's own network counters at this moment, for the reads that follow: who has them is on its network.
  Counters machine_counters() const;

 private:
  std::optional<std::filesystem::path> group(std::string_view controller, const std::string& id) const;
  void read_first(const std::string& id, Sample& sample) const;
  void read_second(const std::filesystem::path& group, Sample& sample) const;
  void read_network(const std::filesystem::path& group, const Counters& machine, Sample& sample) const;

  std::filesystem::path groups_, processes_;
  bool second_;  // the unified hierarchy
};

}  // namespace berth::holder::engine
