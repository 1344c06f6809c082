#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::holder::engine {

struct Inspected;
struct LogLine;

/// One image, those between two layers of a build included. Ids are "sha256:" and 64 hex from every engine.
struct ImageRow {
  std::string id, parent;                  // parent: empty when there is none on the machine
  std::vector<std::string> tags, digests;  // references; an engine's "<none>" is no reference
  std::string created_at;
  std::int64_t size_bytes = 0;
};

struct Subnet {
  std::string subnet, gateway;
};
struct NetworkRow {
  std::string id, name, driver, created_at;
  bool internal = false;
  std::vector<Subnet> subnets;
  std::map<std::string, std::string> labels;
  std::vector<std::string> containers;  // ids, as far as the engine says them in its list of networks
};

struct VolumeRow {
  std::string name, driver, created_at;
  std::map<std::string, std::string> labels;
  bool anonymous = false;  // the engine made up its name
};

struct BuildRecord {
  std::string id, kind, what, last_used_at;
  std::int64_t size_bytes = 0;
  bool in_use = false, shared = false;
};

/// What takes room. A size the engine does not say is absent, never zero.
struct DiskUsage {
  struct Row {
    std::string id;  // a volume's: its name
    std::optional<std::int64_t> size_bytes = {};
    std::optional<std::int64_t> shared_bytes = {};  // of an image's, what others have too
  };
  std::optional<std::int64_t> layers_bytes;  // of all images, what they share counted once
  std::vector<Row> images, containers, volumes;
  std::vector<BuildRecord> build;
};

/// The processes of one container, the engine's columns under names of ours.
struct Process {
  std::int64_t pid = 0, parent = 0;
  std::string user, command;
  std::optional<std::int64_t> elapsed_s;
  std::optional<double> cpu_percent;
};

/// What is on a machine beside its containers. The promises of `Engine` hold here too.
class Inventory {
 public:
  virtual ~Inventory() = default;

  virtual Result<std::vector<ImageRow>> images() = 0;
  virtual Result<std::vector<NetworkRow>> networks() = 0;
  virtual Result<std::vector<VolumeRow>> volumes() = 0;
  /// Slow on a large machine, and an engine does one at a time: Errc::busy while another is under way.
  virtual Result<DiskUsage> disk_usage() = 0;
  virtual Result<std::vector<Process>> processes(const std::string& id) = 0;
  /// Side by side; one that is gone is left out, and one the engine cannot tell of has its id, the error, no document.
  virtual Result<std::vector<Inspected>> inspect_all(const std::vector<std::string>& ids) = 0;

  /// Takes away this image alone: neither its parents, nor one that a container uses or a tag names.
  virtual Status remove_image(const std::string& id) = 0;
  /// Takes away one record of the build cache. How many bytes that gave; 0 when it is used or gone.
  virtual Result<std::int64_t> remove_build_record(const std::string& id) = 0;

  /// Every line from `since` on (empty: from now on) until stopped or the container ends. `sink` must not wait.
  virtual Status follow_logs(const std::string& id, const std::string& since, std::stop_token stop,
                             const std::function<void(LogLine)>& sink) = 0;
};

}  // namespace berth::holder::engine
