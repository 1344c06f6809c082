#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/seam.h"
#include "host/resources/accounts.h"
#include "host/resources/resource.h"

namespace berth::test {

/// Accounts and their groups as a table.
class FakeAccounts final : public host::resources::Accounts {
 public:
  explicit FakeAccounts(Seam& seam = no_faults()) : seam_(seam) {}
  Result<std::optional<host::resources::Account>> find(const std::string& account) override {
    return groups.contains(account) ? std::optional{entries[account]} : std::nullopt;
  }
  Status set_shell(const std::string& account, const std::string& shell) override {
    TRY(seam_.before("account.shell", account));
    acts.push_back("shell " + account + " " + shell);
    if (!deaf) entries[account].shell = shell;
    return {};
  }
  Status set_home(const std::string& account, const std::string& home) override {
    TRY(seam_.before("account.home", account));
    acts.push_back("home " + account + " " + home);
    entries[account].home = home;
    return {};
  }
  Result<std::vector<std::string>> groups_of(const std::string& account) override { return groups[account]; }
  Status add_system(const std::string& account) override {
    TRY(seam_.before("account.add", account));
    acts.push_back("add " + account);
    groups[account] = {account};
    return {};
  }
  Status join(const std::string& account, const std::string& group) override {
    TRY(seam_.before("account.join", account));
    acts.push_back("join " + account + " " + group);
    groups[account].push_back(group);
    return {};
  }
  std::map<std::string, std::vector<std::string>> groups;
  std::map<std::string, host::resources::Account> entries;
  bool deaf = false;  // says success and changes no shell
  std::vector<std::string> acts;

 private:
  Seam& seam_;
};

/// Answers a folder a version, or the failure it is told to have.
class FakeStager final : public host::resources::Stager {
 public:
  Result<std::string> stage(const Json&, const std::string& version) override {
    if (!refusal.empty()) return fail(Errc::failed, refusal);
    return "/opt/berth/releases/" + version;
  }
  std::string refusal;
};

}  // namespace berth::test
