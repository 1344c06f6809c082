#include "holder/verbs/dispatcher.h"

#include <chrono>

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"

namespace berth::holder::verbs {
namespace {

using Steady = std::chrono::steady_clock;

std::int64_t since(Steady::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - start).count();
}

/// What the call is about, bounded: it may be anything a caller thought of.
std::string target_of(const Json& params) {
  for (const auto* key : {"container", "name"}) {
    if (!params.is_object()) break;
    const auto at = params.find(key);
    if (at != params.end() && at->is_string()) return at->get<std::string>().substr(0, 255);
  }
  return {};
}

CallRow row_of_call(const Call& call) {
  return {.face = std::string{to_text(call.face)},
          .caller = call.caller,
          .verb = call.verb.substr(0, 64),
          .target = target_of(call.params),
          .outcome = "ok",
          .detail = {}};
}

void put_outcome(CallRow& row, const Error* error, Steady::time_point start) {
  row.duration_ms = since(start);
  if (error == nullptr) return;
  row.outcome = error_row(error->code).name;
  row.detail = to_text(*error);
}

void log_call(const CallRow& row) {
  const auto pairs = {std::pair<std::string_view, std::string>{"caller", row.caller},
                      {"face", row.face},
                      {"verb", row.verb},
                      {"target", row.target},
                      {"outcome", row.outcome},
                      {"ms", std::to_string(row.duration_ms)}};
  row.outcome == "ok" ? log::info("verb call", pairs) : log::warn("verb call", pairs);
}

/// By a rule of ours, not by the world: what the audit wants to know of reading calls too.
bool is_refusal(Errc code) {
  switch (code) {
    case Errc::bad_request:
    case Errc::refused_root_equivalent:
    case Errc::refused_held:
    case Errc::not_granted:
    case Errc::unknown_verb:
    case Errc::ambiguous:
    case Errc::too_large:
      return true;
    default:
      return false;
  }
}

}  // namespace

Dispatcher::Dispatcher(Facts facts, EngineSlot& engines, Recorder& recorder, const Clock& clock)
    : facts_(std::move(facts)),
      engines_(engines),
      recorder_(recorder),
      clock_(clock),
      seat_(std::make_shared<const Seat>()) {}

void Dispatcher::set_seat(Seat seat) {
  auto next = std::make_shared<const Seat>(std::move(seat));
  seat_.with([&](auto& current) { current = std::move(next); });
}

Error Dispatcher::refuse(const Call& call, Error error) { return refused(call, std::move(error), Steady::now()); }

Error Dispatcher::refused(const Call& call, Error error, Steady::time_point start) {
  auto row = row_of_call(call);
  put_outcome(row, &error, start);
  const auto* verb = find_verb(call.verb);
  tally_.add(call.face, verb == nullptr ? "unknown" : verb->name, row.outcome, Steady::now() - start, row.detail);
  log_call(row);
  if (const auto recorded = recorder_.refuse(row); !recorded) {
    log::error("a refused call could not be recorded", {{"why", to_text(recorded.error())}});
  }
  return error;
}

Result<Json> Dispatcher::dispatch(const Call& call) {
  const auto* row = find_verb(call.verb);
  if (row == nullptr)
    return refuse(call, fail(Errc::unknown_verb, "there is no verb " + call.verb.substr(0, 64)));
  if (auto admitted = admit(call, *row); !admitted) return refuse(call, std::move(admitted).error());
  return row->verb_class == VerbClass::act ? act(call, *row) : judged(call, *row);
}

Status Dispatcher::admit(const Call& call, const VerbRow& row) const {
  if (!call.params.is_object())
    return fail(Errc::bad_request, "the params of " + std::string{row.name} + " must be an object");
  if (call.face == Face::socket) return {};
  if (row.host_only)
    return fail(Errc::not_granted, std::string{row.name} + " is served on the host's socket alone");
  const auto seat = seat_.with([](const auto& current) { return current; });
  if (seat->grants.allows(call.caller, row.name, row.verb_class)) return {};
  return fail(Errc::not_granted, std::string{row.name} + " is not granted to " + call.caller +
                                     (row.verb_class == VerbClass::act ? " by name" : "") + " on " +
                                     facts_.machine);
}

/// A reading call: nothing is written down unless it was refused.
Result<Json> Dispatcher::judged(const Call& call, const VerbRow& row) {
  const auto start = Steady::now();
  auto answer = run(call, row);
  if (!answer && is_refusal(answer.error().code)) return refused(call, std::move(answer).error(), start);
  const auto outcome = answer ? std::string{"ok"} : std::string{error_row(answer.error().code).name};
  tally_.add(call.face, row.name, outcome, Steady::now() - start, answer ? "" : answer.error().detail);
  return answer;
}

Result<Json> Dispatcher::act(const Call& call, const VerbRow& row) {
  const auto start = Steady::now();
  auto record = row_of_call(call);
  record.verb = row.name;
  auto begun = recorder_.begin(record);
  if (!begun)
    return std::move(begun).error().while_doing("nothing was done: " + record.verb + " cannot be recorded");
  auto answer = run(call, row);
  put_outcome(record, answer ? nullptr : &answer.error(), start);
  tally_.add(call.face, row.name, record.outcome, Steady::now() - start, answer ? "" : record.detail);
  log_call(record);
  if (const auto ended = recorder_.end(*begun, record); !ended) {
    // What was begun stays in the store; the next start makes a row of it.
    log::error("an act could not be recorded", {{"verb", record.verb}, {"why", to_text(ended.error())}});
  }
  return answer;
}

Result<Json> Dispatcher::run(const Call& call, const VerbRow& row) {
  const auto turn = TRY(lanes_.enter(target_of(call.params)));
  const auto engine = TRY(engines_.engine());
  Session session{*engine, facts_, clock_, quota_, recorder_, call.face, call.caller, call.max_reply};
  auto answer = row.run(session, call.params);
  if (!answer && answer.error().code == Errc::engine_unreachable) engines_.lost(engine);
  return answer;
}

Status Dispatcher::follow(const std::string& container, const std::string& since, std::stop_token stop,
                          const std::function<void(engine::LogLine)>& sink) {
  const auto engine = TRY(engines_.engine());
  auto ended = engine->follow_logs(container, since, std::move(stop), sink);
  if (!ended && ended.error().code == Errc::engine_unreachable) engines_.lost(engine);
  return ended;
}

}  // namespace berth::holder::verbs
