#include "host/resources/accounts.h"

#include "base/process.h"
#include "host/resources/command_line.h"

namespace berth::host::resources {
namespace {

constexpr std::chrono::seconds kWithin{30};  // useradd waits for a lock on the password file

class SystemAccounts final : public Accounts {
 public:
  explicit SystemAccounts(Seam& seam) : seam_(seam) {}

  Result<bool> exists(const std::string& account) override {
    const auto asked = TRY(run_process({"getent", "passwd", "--", account}, kWithin, seam_));
    if (asked.exit_status == 0 || asked.exit_status == 2) return asked.exit_status == 0;
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

  Status join(const std::string& account, const std::string& group) override {
    TRY(seam_.before("account.join", account));
    TRY(run_checked({"usermod", "--append", "--groups", group, "--", account}, kWithin, seam_));
    return {};
  }

 private:
  Seam& seam_;
};

}  // namespace

std::unique_ptr<Accounts> make_accounts(Seam& seam) { return std::make_unique<SystemAccounts>(seam); }

}  // namespace berth::host::resources
