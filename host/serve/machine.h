#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "host/apply/site.h"
#include "host/config/config.h"

namespace berth::host::serve {

/// This program: what it was linked with and which release it is of.
struct Program {
  path::Linked linked;
  std::string built_version;  // when no release.json lies beside the binary's folder
  std::string root = {};      // "" on a machine; a folder that stands for / in tests
};

/// The version in `<folder of the binary>/../release.json`, else the one it was built as.
std::string version_of(const Program& program);

/// The machine's own id, as it is known by together with its name.
Result<std::string> read_machine_id(const std::string& root);

/// A site on this real machine, with its service manager, packages and releases. Each thread that acts makes
/// its own. `config` must outlive it.
class Machine {
 public:
  static Result<std::unique_ptr<Machine>> open(const Config& config, const Program& program, Seam& seam);
  ~Machine();
  const apply::Site& site() const;

 private:
  struct Parts;
  explicit Machine(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace berth::host::serve
