#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/seam.h"

namespace berth::host::resources {

/// The machine's accounts. Made where absent, only ever joined to groups, never taken away.
class Accounts {
 public:
  virtual ~Accounts() = default;
  virtual Result<bool> exists(const std::string& account) = 0;
  virtual Result<std::vector<std::string>> groups_of(const std::string& account) = 0;
  virtual Status add_system(const std::string& account) = 0;  // no home, no shell, a group of its own
  virtual Status join(const std::string& account, const std::string& group) = 0;
};

/// getent, id, useradd and usermod.
std::unique_ptr<Accounts> make_accounts(Seam& seam);

}  // namespace berth::host::resources
