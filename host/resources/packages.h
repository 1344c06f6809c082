#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/seam.h"

namespace berth::host::resources {

/// The package manager. Packages are installed where absent and never taken away. One thread.
class Packages {
 public:
  virtual ~Packages() = default;
  /// The installed version; nothing when it is not installed (removed but configured counts as that).
  virtual Result<std::optional<std::string>> installed(const std::string& name) = 0;
  virtual Status install(const std::string& name) = 0;
};

/// The machine's own: apt-get, dnf or pacman, the first of them that is there; without a question asked and
/// without recommended packages.
std::unique_ptr<Packages> make_packages(Seam& seam);

}  // namespace berth::host::resources
