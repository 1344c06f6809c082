#pragma once
// Every command: what a person may say of it, and the function that does it. A function answers the exit
// status, 0 for done; an error's exit status is its row in the error table.
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"

namespace berth::cli {

// machines.cpp: what the store knows, no machine is asked.
Result<int> machines(Context& context);
Result<int> seats(Context& context);

// audit.cpp
struct AuditArgs {
  std::string name;     // empty: list the audits
  std::string sql;      // with the name "sql": the statement
  std::string machine;  // empty: all
};
Result<int> audit(Context& context, const AuditArgs& args);

// keep.cpp: the store itself.
Result<int> store_backup(Context& context, const std::string& target);
Result<int> store_verify(Context& context);

}  // namespace berth::cli
