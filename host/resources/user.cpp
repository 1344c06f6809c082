// A person's account as it is here: joined to groups, and its shell and home where one module owns them.
#include <algorithm>

#include "base/fields.h"
#include "host/resources/accounts.h"
#include "host/resources/declared.h"
#include "host/resources/types.h"

namespace berth::host::resources::user {
namespace {

/// The machine's accounts, or a test's.
class Here {
 public:
  explicit Here(World& world)
      : own_(world.accounts == nullptr ? make_accounts(world.seam) : nullptr),
        accounts_(world.accounts == nullptr ? *own_ : *world.accounts) {}
  Accounts* operator->() const { return &accounts_; }

 private:
  std::unique_ptr<Accounts> own_;
  Accounts& accounts_;
};

/// Never made here: an account without a password, a key or a home is nobody's.
Result<Account> account_of(Here& here, const std::string& name) {
  const auto account = TRY(here->find(name));
  if (account) return *account;
  return fail_field(Errc::not_found, "name", "there is no account \"" + name + "\" on this machine");
}

std::vector<std::string> groups_missing(const Json& declared, const std::vector<std::string>& in) {
  std::vector<std::string> missing;
  for (const auto& group : declared.value("groups", std::vector<std::string>{})) {
    if (std::ranges::find(in, group) == in.end()) missing.push_back(group);
  }
  return missing;
}

void say(Acted& acted, const std::string& what) {
  acted.changed = true;
  acted.detail += (acted.detail.empty() ? "" : ", ") + what;
}

Status settle_groups(Here& here, const std::string& name, const Json& declared, Acted& acted) {
  for (const auto& group : groups_missing(declared, TRY(here->groups_of(name)))) {
    TRY(here->join(name, group));
    say(acted, "joined to " + group);
  }
  return {};
}

Status settle_entry(Here& here, const std::string& name, const Account& now, const std::string& shell,
                    const std::string& home, Acted& acted) {
  if (!shell.empty() && shell != now.shell) {
    TRY(here->set_shell(name, shell));
    say(acted, "shell " + shell);
  }
  if (!home.empty() && home != now.home) {
    TRY(here->set_home(name, home));
    say(acted, "home " + home);
  }
  return {};
}

/// What was said to succeed is so.
Status verify(Here& here, const std::string& name, const Json& declared) {
  const auto now = TRY(account_of(here, name));
  const auto missing = groups_missing(declared, TRY(here->groups_of(name)));
  if (missing.empty() && now.shell == text_of(declared, "shell", now.shell) && now.home == text_of(declared, "home", now.home))
    return {};
  return fail(Errc::failed, "account " + name + ": the change was said to succeed, and it is not so" +
                                (missing.empty() ? "" : ": not in group " + missing.front()));
}

void check_name(Fields& fields, std::string_view key, const std::string& name) {
  if (!name.empty() && !is_account_name(name)) fields.refuse(key, "\"" + name + "\" is not the name of an account or group");
}

void check_path(Fields& fields, std::string_view key) {
  if (!fields.has(key)) return;
  const auto path = path_field(fields, key);
  if (path.find_first_of(":\n") != std::string::npos) fields.refuse(key, "\"" + path + "\" cannot stand in the password file");
}

}  // namespace

Status check(const Json& declared) {
  Fields fields{declared, "user"};
  read_common(fields);
  check_name(fields, "name", fields.text("name"));
  for (const auto& group : fields.texts("groups")) check_name(fields, "groups", group);
  check_path(fields, "shell");
  check_path(fields, "home");
  return fields.finish();
}

Result<Json> read(World& world, const Json& declared) {
  Here here{world};
  const auto name = text_of(declared, "name");
  const auto account = TRY(here->find(name));
  if (!account) return Json{{"exists", false}};
  const auto groups = TRY(here->groups_of(name));
  return Json{{"exists", true}, {"shell", account->shell}, {"home", account->home}, {"groups", groups}};
}

Result<Acted> apply(World& world, const Json& declared, const Json&, const Json&) {
  Here here{world};
  const auto name = text_of(declared, "name");
  const auto now = TRY(account_of(here, name));
  Acted acted;
  acted.applied = {{"shell", text_of(declared, "shell")}, {"home", text_of(declared, "home")}};
  TRY(settle_groups(here, name, declared, acted));
  TRY(settle_entry(here, name, now, text_of(declared, "shell"), text_of(declared, "home"), acted));
  if (!acted.changed) return acted;
  TRY(verify(here, name, declared));
  acted.action = "updated";
  return acted;
}

/// A membership stays: others may rely on it. Shell and home go back unless somebody changed them since.
Result<Acted> give_back(World& world, const Json& declared, const Json& found, const Json& before) {
  Here here{world};
  const auto name = text_of(declared, "name");
  Acted acted;
  acted.action = "given_back";
  const auto now = TRY(here->find(name));
  if (!now) return acted;
  const auto was = [&](const char* key, const std::string& current) {
    const auto ours = text_of(before.is_object() ? before : declared, key);
    return !ours.empty() && ours == current ? text_of(found, key) : std::string{};
  };
  TRY(settle_entry(here, name, *now, was("shell", now->shell), was("home", now->home), acted));
  if (!declared.value("groups", std::vector<std::string>{}).empty())
    acted.detail += (acted.detail.empty() ? "" : "; ") + name + " stays in its groups";
  return acted;
}

std::string target(const Json& declared) { return text_of(declared, "name"); }

}  // namespace berth::host::resources::user
