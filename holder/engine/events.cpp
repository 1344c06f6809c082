#include "holder/engine/event_lines.h"
#include "holder/engine/http_engine.h"
#include "holder/engine/parse.h"
#include "holder/engine/refusal.h"

namespace berth::holder::engine {

Status HttpEngine::events(std::optional<Time> since, std::stop_token stop, const std::function<void(RawEvent)>& sink) {
  LineCutter cutter;
  Status parsed;
  const auto take = [&](std::string_view line) {
    auto event = parse_event(line);
    if (!event) parsed = event.error();
    else if (*event) sink(std::move(**event));
  };
  const Transport::Stream stream{versioned("/events" + live_events_query(since)), std::nullopt, [&](std::string_view bytes) {
    cutter.feed(bytes, take);
    return parsed.ok() && cutter.dropped() == 0;
  }};
  TRY(accepted(transport_.stream(stream, stop), "events"));
  if (stop.stop_requested()) return {};
  TRY(parsed);
  if (cutter.dropped() > 0) return fail(Errc::too_large, "events: a line of the engine's stream is too long to read");
  return fail(Errc::engine_unreachable, "events: engine socket " + socket() + ": closed (the stream ended)");
}

Result<std::vector<RawEvent>> HttpEngine::read_window(const std::string& query) {
  const auto answer = TRY(get(versioned("/events" + query), "events"));
  std::vector<RawEvent> events;
  Status parsed;
  LineCutter cutter;
  const auto take = [&](std::string_view line) {
    auto event = parse_event(line);
    if (!event) parsed = event.error();
    else if (*event) events.push_back(std::move(**event));
  };
  cutter.feed(answer.body, take);
  if (!cutter.rest().empty()) take(std::string{cutter.rest()});
  TRY(parsed);
  return events;
}

Result<std::vector<RawEvent>> HttpEngine::past_events(Time since, Time until) {
  auto events = TRY(read_window(past_events_query(since, until)));
  std::erase_if(events, [&](const RawEvent& event) { return event.at < since || event.at > until; });
  return events;
}

}  // namespace berth::holder::engine
