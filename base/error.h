#pragma once
#include <span>
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"

namespace berth {

/// One row a code: its name on the wire, its HTTP status, the exit status of a command it ends.
struct ErrorRow {
  Errc code;
  std::string_view name;
  int status;
  int exit_status;  // 1 failed, 2 usage, 3 refused by a rule, 4 not reachable
  std::string_view title;
};

std::span<const ErrorRow> error_table();
const ErrorRow& error_row(Errc code);

/// The RFC 9457 body both faces answer with: {"type","title","status","detail","code",…}.
Json to_problem(const Error& error);

/// The failure a peer answered with. An unknown code becomes Errc::failed and keeps its text.
Error from_problem(const Json& problem);

/// One line for a person or a log: "code: detail (field x)".
std::string to_text(const Error& error);

}  // namespace berth
