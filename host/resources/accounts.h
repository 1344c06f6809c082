#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/seam.h"

namespace berth::host::resources {

struct Account { std::string shell, home; };
bool is_account_name(std::string_view name);

/// The machine's accounts. Made where absent, only ever joined to groups, never taken away.
class Accounts {
 public:
  virtual ~Accounts() = default;
  virtual Result<std::optional<Account>> find(const std::string& account) = 0;
  Result<bool> exists(const std::string& account) { return TRY(find(account)).has_value(); }
  virtual Result<std::vector<std::string>> groups_of(const std::string& account) = 0;
  virtual Status add_system(const std::string& account) = 0;  // no home, no shell, a group of its own
  virtual Status join(const std::string& account, const std::string& group) = 0;
  virtual Status set_shell(const std::string& account, const std::string& shell) = 0;
  virtual Status set_home(const std::string& account, const std::string& home) = 0;  // nothing is moved
};

/// getent, id, useradd and usermod.
std::unique_ptr<Accounts> make_accounts(Seam& seam);

}  // namespace berth::host::resources
