#include "bus/permissions.h"

#include <algorithm>
#include <cctype>

#include "bus/subjects.h"

namespace berth::bus {
namespace {

std::vector<std::string> joined_lists(std::vector<std::string> list,
                                      std::initializer_list<std::string> more) {
  list.insert(list.end(), more);
  return list;
}

std::string own_inbox(std::string_view user) { return inbox_prefix(user) + ".>"; }

/// `["a", "b"]`, one a line. Names are tokens, so nothing needs escaping; an empty list allows nothing.
std::string render_list(std::vector<std::string> list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  if (list.empty()) return "{ deny: \">\" }";
  std::string text = "{ allow: [\n";
  for (const auto& subject : list) text += "          \"" + subject + "\"\n";
  return text + "        ] }";
}

std::string render_user(const User& user) {
  // The server has no name of one who logs in by a key: the comment is for who reads the file.
  const auto log_in = user.nkey.empty() ? "user: \"" + user.name + "\", password: $" + password_variable(user.name) + ","
                                        : "nkey: \"" + user.nkey + "\",  # " + user.name;
  return "    { " + log_in + "\n" +
         "      permissions: {\n" +                                    //
         "        publish: " + render_list(user.publish) + "\n" +      //
         "        subscribe: " + render_list(user.subscribe) + "\n" +  //
         "      } }\n";
}

}  // namespace

User holder_user(const MachineName& machine, std::vector<std::string> events,
                 std::vector<std::string> verbs) {
  const auto name = "holder-" + machine.text();
  return {name, joined_lists(std::move(events), {"_INBOX.>"}),
          joined_lists(std::move(verbs), {"$SRV.>", own_inbox(name)})};
}

User host_user(const FleetName& fleet, const MachineName& machine) {
  const auto name = "host-" + machine.text();
  return {name,
          {host_subject(fleet, machine, "report"), own_inbox("operator")},
          {host_subject(fleet, machine, "push"), host_subject(fleet, machine, "ask"), own_inbox(name)}};
}

User caller_user(const CallerName& caller, std::vector<std::string> verbs) {
  return {caller.text(), std::move(verbs), {own_inbox(caller.text())}};
}

User operator_user(const FleetName& fleet, const CallerName& caller, std::vector<std::string> verbs) {
  auto user = caller_user(caller, std::move(verbs));
  user.publish =
      joined_lists(std::move(user.publish), {fleet.text() + ".*.host.push", fleet.text() + ".*.host.ask",
                                             lease_subject(fleet), "$JS.API.>", "$SRV.>"});
  return user;
}

std::string password_variable(std::string_view user) {
  std::string name;
  for (const char c : user)
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name + "_PASSWORD";
}

std::string render_authorization(std::span<const User> users) {
  std::vector<User> sorted(users.begin(), users.end());
  std::ranges::sort(sorted, {}, &User::name);
  std::string text = "authorization {\n  users = [\n";
  for (const auto& user : sorted) text += render_user(user);
  return text + "  ]\n}\n";
}

std::string render_permissions_file(std::span<const User> users) {
  return "include \"secrets.conf\"\n" + render_authorization(users);
}

}  // namespace berth::bus
