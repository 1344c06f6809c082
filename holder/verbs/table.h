#pragma once
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "holder/policy/grants.h"
#include "holder/verbs/session.h"

namespace berth::holder::verbs {

using policy::VerbClass;

/// One row a verb. The dispatcher, help, docs/verbs.md, the discovery answer and GET /v1/seat are made from
/// this table; a verb is its row and its file.
struct VerbRow {
  std::string_view name;
  VerbClass verb_class;
  std::chrono::seconds bound;  // a whole call, beyond the wait it asks for
  Result<Json> (*run)(Session& session, const Json& params);
  bool of_seat;             // one of the seat's nine
  bool is_tool;             // served as docker_<name> too
  bool host_only;           // on the host's socket alone
  std::string_view params;  // as docs/verbs.md shows them
  std::string_view summary;
};

std::span<const VerbRow> verb_table();
/// By its name or its tool's. Null when there is none.
const VerbRow* find_verb(std::string_view name);
std::string_view to_text(VerbClass verb_class);

/// The seat's nine, and the tools served.
std::vector<std::string> seat_verbs();
std::vector<std::string> tools();
/// The event kinds the seat promises.
std::vector<std::string> event_kinds();

/// docs/verbs.md.
std::string verbs_page();

}  // namespace berth::holder::verbs
