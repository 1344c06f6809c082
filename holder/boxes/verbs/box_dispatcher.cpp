#include "holder/boxes/verbs/box_dispatcher.h"

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"

namespace berth::holder::boxes::verbs {
namespace {

using Steady = std::chrono::steady_clock;
using holder::verbs::CallRow;

std::string target_in(const Json& params) {
  for (const auto* key : {"box", "login", "name"}) {
    if (!params.is_object()) break;
    const auto at = params.find(key);
    if (at != params.end() && at->is_string()) return at->get<std::string>().substr(0, 255);
  }
  return {};
}

CallRow row_for(const BoxCall& call) {
  return {.face = "socket",
          .caller = call.caller,
          .verb = call.verb.substr(0, 64),
          .target = target_in(call.params),
          .outcome = "ok",
          .detail = {}};
}

void tell_outcome(CallRow& row, const Error* error, Steady::time_point start) {
  row.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - start).count();
  if (error == nullptr) return;
  row.outcome = error_row(error->code).name;
  row.detail = to_text(*error);
}

void log_box_call(const CallRow& row) {
  const auto pairs = {std::pair<std::string_view, std::string>{"caller", row.caller},
                      {"verb", row.verb},
                      {"target", row.target},
                      {"outcome", row.outcome},
                      {"ms", std::to_string(row.duration_ms)}};
  row.outcome == "ok" ? log::info("box verb call", pairs) : log::warn("box verb call", pairs);
}

bool by_a_rule(Errc code) {
  return code == Errc::bad_request || code == Errc::not_granted || code == Errc::unknown_verb ||
         code == Errc::too_large;
}

}  // namespace

Error BoxDispatcher::refuse(const BoxCall& call, Error error) {
  auto row = row_for(call);
  tell_outcome(row, &error, Steady::now());
  log_box_call(row);
  if (const auto recorded = recorder_.refuse(row); !recorded)
    log::error("a refused call could not be recorded", {{"why", to_text(recorded.error())}});
  return error;
}

/// Written down as begun before it acts: a full disk refuses it while nothing is done.
template <class Work>
auto BoxDispatcher::recorded(const BoxCall& call, Work work) -> decltype(work()) {
  const auto start = Steady::now();
  auto row = row_for(call);
  auto begun = recorder_.begin(row);
  if (!begun)
    return std::move(begun).error().while_doing("nothing was done: " + row.verb + " cannot be recorded");
  auto answer = work();
  tell_outcome(row, answer ? nullptr : &answer.error(), start);
  log_box_call(row);
  if (const auto ended = recorder_.end(*begun, row); !ended)
    log::error("an act could not be recorded", {{"verb", row.verb}, {"why", to_text(ended.error())}});
  return answer;
}

Result<Json> BoxDispatcher::dispatch(const BoxCall& call) {
  const auto* row = find_box_verb(call.verb);
  if (row == nullptr)
    return refuse(call, fail(Errc::unknown_verb, "there is no verb " + call.verb.substr(0, 64)));
  if (row->run == nullptr)
    return refuse(
        call, fail(Errc::bad_request, std::string{row->name} + " is asked for by an upgrade to a WebSocket"));
  if (!call.params.is_object())
    return refuse(call,
                  fail(Errc::bad_request, "the params of " + std::string{row->name} + " must be an object"));
  const auto runtime = TRY(runtime_.runtime());
  const auto work = [&]() -> Result<Json> {
    BoxSession session{*runtime, config_, call.stop};
    return row->run(session, call.params);
  };
  if (row->verb_class == VerbClass::act) return recorded(call, work);
  auto answer = work();
  if (!answer && by_a_rule(answer.error().code)) return refuse(call, std::move(answer).error());
  return answer;
}

Result<std::unique_ptr<Stream>> BoxDispatcher::spawn(const BoxCall& call) {
  const auto args = call.params.is_object()
                        ? parse_spawn(call.params)
                        : Result<ProcessArgs>{fail(Errc::bad_request, "params must be an object")};
  if (!args) return refuse(call, args.error());
  const auto runtime = TRY(runtime_.runtime());
  return recorded(call, [&] { return runtime->spawn(args->place, args->command, args->terminal); });
}

}  // namespace berth::holder::boxes::verbs
