#include "cli/program.h"

#include <algorithm>
#include <ostream>

#include "base/error.h"
#include "base/json.h"
#include "cli/arguments.h"
#include "cli/text.h"

namespace berth::cli {
namespace {

int say(std::ostream& err, const Error& error, Output output) {
  if (output == Output::json) err << to_problem(error).dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
  else err << "berth: " << printable_lines(to_text(error), "  ") << '\n';
  return error_row(error.code).exit_status;
}

/// The form of errors has to be known before the words are, or when they make no sense.
Output output_in(const std::vector<std::string>& words) {
  const auto at = std::ranges::find(words, "--output");
  const bool json = (at != words.end() && at + 1 != words.end() && *(at + 1) == "json") ||
                    std::ranges::find(words, "--output=json") != words.end();
  return json ? Output::json : Output::table;
}

}  // namespace

int run(const std::vector<std::string>& words, std::ostream& out, std::ostream& err, bool colour, const Clock& clock,
        Seam& seam) {
  auto parsed = parse_arguments(words, out);
  if (!parsed) return say(err, parsed.error(), output_in(words));
  if (!*parsed) return 0;
  const auto& invocation = **parsed;
  Context context{invocation.globals, out, err, colour, clock, seam};
  const auto ended = invocation.command(context);
  if (!ended) return say(err, ended.error(), invocation.globals.output);
  if (!out.flush()) return say(err, fail(Errc::failed, "write the answer: the output cannot be written"), invocation.globals.output);
  return *ended;
}

}  // namespace berth::cli
