#include <iostream>
#include <iterator>

#include "base/config.h"
#include "base/error.h"
#include "base/fields.h"
#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/fleet_bus.h"
#include "cli/verb_call.h"
#include "schema/queries.h"

namespace berth::cli {
namespace {

using Text = std::string_view;
using Maybe = std::optional<std::string>;
constexpr store::Query<void(Text, Text, Text, Text, Text, Maybe, Text, Maybe, std::int64_t)> kCallMade{
    schema::queries::verb_call_made};

constexpr std::size_t kLongestInput = std::size_t{1} << 20;

Result<Json> document_from(std::istream& in) {
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  if (text.size() > kLongestInput) return fail(Errc::too_large, "the parameters are over 1 MiB");
  return parse_json(text, "the parameters on standard input");
}

Result<Json> params_of(const CallArgs& args) {
  if (args.json.empty()) return parse_params(args.params);
  if (!args.params.empty()) return fail_field(Errc::bad_request, "--json", "either --json or key=value, not both");
  return args.json == "-" ? document_from(std::cin) : read_document(args.json);
}

Maybe target_of(const Json& params) {
  for (const char* key : {"container", "name"}) {
    if (const auto at = params.find(key); at != params.end() && at->is_string()) return at->get<std::string>();
  }
  return std::nullopt;
}

bool is_refusal(const Error& error) {
  return error.code == Errc::not_granted || error.code == Errc::refused_held || error.code == Errc::refused_root_equivalent;
}

/// What changes something and what was refused is remembered here too: the holder's own row stays on the
/// machine.
Status remember(store::Store& store, const IssuedVerb& verb, Text caller, const Json& params, const Result<Json>& answer,
                std::int64_t took_ms) {
  if (verb.cls != "act" && (answer || !is_refusal(answer.error()))) return {};
  const std::string outcome{answer ? "ok" : error_row(answer.error().code).name};
  const auto detail = answer ? std::nullopt : Maybe{answer.error().detail};
  TRY(store.run(kCallMade, verb.machine, store.now(), "bus", caller, verb.verb, target_of(params), outcome, detail, took_ms));
  return {};
}

}  // namespace

Result<int> call(Context& context, const CallArgs& args) {
  const auto params = TRY(params_of(args));
  const auto fleet = TRY(load_fleet(context));
  auto store = TRY(context.open_store());
  const auto verb = TRY(issued_verb(store, args.machine, args.verb, fleet.bus.user));
  const auto bus = TRY(connect(fleet, context));
  const auto start = std::chrono::steady_clock::now();
  const auto answer = ask(*bus, verb, params);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  TRY(remember(store, verb, fleet.bus.user, params, answer, took.count()));
  if (!answer) return answer.error();
  context.show(*answer);
  return 0;
}

}  // namespace berth::cli
