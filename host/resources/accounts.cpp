#include "host/resources/accounts.h"

#include "base/process.h"
#include "host/resources/command_line.h"

namespace berth::host::resources {
namespace {

constexpr std::chrono::seconds kWithin{30};  // useradd waits for a lock on the password file

/// name:password:uid:gid:comment:home:shell
Result<std::optional<Account>> account_of(const std::string& entry) {
  std::vector<std::string> parts{""};
  for (const char c : entry.substr(0, entry.find('\n'))) {
    if (c == ':') parts.emplace_back();
    else parts.back() += c;
  }
  if (parts.size() != 7) return fail(Errc::failed, "getent passwd answered what is no entry of the password file");
  return std::optional{Account{parts[6], parts[5]}};
}

class SystemAccounts final : public Accounts {
 public:
  explicit SystemAccounts(Seam& seam) : seam_(seam) {}

  Result<std::optional<Account>> find(const std::string& account) override {
    const auto asked = TRY(run_process({"getent", "passwd", "--", account}, kWithin, seam_));
    if (asked.exit_status == 2) return std::optional<Account>{};
    if (asked.exit_status == 0) return account_of(asked.out);
    return fail(Errc::failed, "getent passwd " + account + ": exit status " + std::to_string(asked.exit_status));
  }

  Result<std::vector<std::string>> groups_of(const std::string& account) override {
    auto names = TRY(run_checked({"id", "-Gn", "--", account}, kWithin, seam_));
    while (names.ends_with('\n')) names.pop_back();
    return split_words(names);
  }

  Status add_system(const std::string& account) override {
    TRY(seam_.before("account.add", account));
    TRY(run_checked({"useradd", "--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent", "--shell",
                     "/usr/sbin/nologin", "--", account},
                    kWithin, seam_));
    return {};
  }

  Status set_shell(const std::string& account, const std::string& shell) override {
    TRY(seam_.before("account.shell", account));
    TRY(run_checked({"usermod", "--shell", shell, "--", account}, kWithin, seam_));
    return {};
  }

  Status set_home(const std::string& account, const std::string& home) override {
    TRY(seam_.before("account.home", account));
    TRY(run_checked({"usermod", "--home", home, "--", account}, kWithin, seam_));
    return {};
  }

  Status join(const std::string& account, const std::string& group) override {
    TRY(seam_.before("account.join", account));
    TRY(run_checked({"usermod", "--append", "--groups", group, "--", account}, kWithin, seam_));
    return {};
  }

 private:
  Seam& seam_;
};

}  // namespace

bool is_account_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  return !name.empty() && name.size() <= 32 && name.find_first_not_of(kAllowed) == std::string_view::npos &&
         (name[0] == '_' || (name[0] >= 'a' && name[0] <= 'z'));
}

std::unique_ptr<Accounts> make_accounts(Seam& seam) { return std::make_unique<SystemAccounts>(seam); }

}  // namespace berth::host::resources
