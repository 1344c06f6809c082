#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/apply/push.h"
#include "host/records/pushes.h"
#include "host/records/records.h"

namespace berth::host::apply {

/// One resource that must be there after a run.
struct Item {
  std::string id, module;
  const resources::Type* type = nullptr;
  Json declared;
  std::optional<Record> exact = {};  // a back-out: the record as history holds it, found state included
  std::string target() const { return std::string{type->name} + " " + type->target(declared); }
};

/// What one run of the machine does: what goes, newest first, and what must be there, in order.
struct Plan {
  std::string push_id;  // empty: no push, the bundle's or the machine's own records
  bool whole = false;   // at the first failure the caller puts everything back
  std::map<std::string, std::string> expect;
  std::vector<Record> give_back;
  std::vector<Item> items;
  std::string restores;  // the push being undone, for the engine file's very bytes
};

/// A push as accepted. What a back_out `restores` comes from history and wins over what it declares itself.
Result<Plan> plan_of_push(const Push& push, const Records& records, const Types& types);

/// Everything the records say, for an apply of the machine's own accord: what is left to give back goes, all
/// else must be there. Packages first, containers last.
Result<Plan> plan_of_records(const Records& records, const Types& types);

/// Back to what the records were before a push.
Result<Plan> plan_of_restore(std::string_view undone, std::string_view by_push, const Records& records,
                             const Types& types);

/// Adds the carried records whose thing no item is about: an apply keeps what the bundle made, too.
Status add_carried(Plan& plan, const Records& records, const Types& types);

}  // namespace berth::host::apply
