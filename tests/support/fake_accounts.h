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
  Result<bool> exists(const std::string& account) override { return groups.contains(account); }
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
