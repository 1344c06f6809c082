#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"
#include "holder/engine/words.h"

namespace berth::holder::engine {
namespace {

Time time_of(const Json& document) {
  if (const auto nanos = maybe_number(document, "timeNano"); nanos && *nanos > 0)
    return Time{std::chrono::nanoseconds{*nanos}};
  return time_of_seconds(number_member(document, "time")).value_or(Time{});
}

/// Docker says "health_status: healthy"; Podman "health_status", with the word in a member of its own.
std::string action_of(const Json& document) {
  auto action = text_member(document, "Action");
  if (action.empty()) action = text_member(document, "status");
  if (action.starts_with("exec_")) return action.substr(0, action.find(':'));
  if (action != "health_status") return action;
  auto health = text_member(document, "HealthStatus");
  if (health.empty()) health = text_member(document, "health_status");
  return health.empty() ? action : action + ": " + health;
}

bool is_exec_noise(std::string_view action) {
  return action == "exec" || action == "exec_died" || action.starts_with("exec_");
}

}  // namespace

Result<std::optional<RawEvent>> parse_event(std::string_view line) {
  const auto document = TRY(engine_json(line, "event"));
  if (!document.is_object()) return fail(Errc::engine_refused, "event: a line that is no object");
  RawEvent event;
  event.type = text_member(document, "Type");
  event.action = action_of(document);
  if (event.type.empty() || event.action.empty())
    return fail(Errc::engine_refused, "event: a line without a type or an action");
  if (is_exec_noise(event.action)) return std::optional<RawEvent>{};
  event.at = time_of(document);
  const auto& actor = member(document, "Actor");
  event.id = text_member(actor, "ID");
  if (event.id.empty()) event.id = text_member(document, "id");
  if (const auto& attributes = member(actor, "Attributes"); attributes.is_object()) {
    for (const auto& [key, value] : attributes.items()) {
      if (value.is_string()) event.attributes.emplace(key, value.get<std::string>());
    }
  }
  return std::optional{std::move(event)};
}

}  // namespace berth::holder::engine
