#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/store.h"

namespace berth::catalogue {

struct Grant {
  std::string caller;
  std::string machine;  // a name or '*'
  std::string verb;     // '*' reaches reading verbs only
  std::string cls;      // read, act
  static Grant from(const store::Columns& c);
};

/// Grants a verb to a caller. A verb's own name or a tool's (docker_stop); '*' is the reading verbs whatever
/// the class asked for. Errc::unknown_verb when no seat and no tool has it.
Status grant(store::Store& store, std::string_view caller, std::string_view verb, std::string_view machine);
Status revoke(store::Store& store, std::string_view caller, std::string_view verb, std::string_view machine);
Result<std::vector<Grant>> grants(store::Store& store);
/// Those of a machine and those of all.
Result<std::vector<Grant>> grants_reaching(store::Store& store, std::string_view machine);
/// Everybody who was ever granted something and not forgotten. Who lost the last grant stays a user of the broker,
/// who may do nothing: the broker refuses a file without a user that its own file of passwords has, and would keep
/// the rights that were to go.
Result<std::vector<std::string>> known_callers(store::Store& store);
/// From now on no user of the broker; its line in the file of passwords goes with the next push. Errc::conflict
/// while anything is granted.
Status forget_caller(store::Store& store, std::string_view caller);
/// One row, its verb by its own name already.
Status put_grant(store::Store& store, const Grant& row);
/// A bus user of a program (host-…, holder-…): no caller may be named so.
bool is_reserved_caller(std::string_view caller);

/// The broker's permissions file for the whole fleet, from subjects issued and grants given: the operator,
/// each machine's host and holder, each caller. No password is in it.
Result<std::string> render_permissions(store::Store& store);

}  // namespace berth::catalogue
