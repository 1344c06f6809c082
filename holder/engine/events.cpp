#include "holder/engine/event_lines.h"
#include "holder/engine/http_engine.h"
#include "holder/engine/parse.h"
#include "holder/engine/refusal.h"

namespace berth::holder::engine {

/// A line that is too long or is no event is told as lost and ends nothing: asked for again it would come
/// again.
Status HttpEngine::events(std::optional<Time> since, std::stop_token stop,
                          const std::function<void(RawEvent)>& sink) {
  LineCutter cutter;
  std::size_t dropped = 0;
  const auto say = [&](const char* action) {
    sink({.at = {}, .type = "stream", .action = action, .id = {}, .attributes = {}});
  };
  const auto lost = [&] { say("lost"); };
  const auto take = [&](std::string_view line) {
    auto event = parse_event(line);
    if (!event) return lost();
    if (*event) sink(std::move(**event));
  };
  const auto sink_bytes = [&](std::string_view bytes) {
    cutter.feed(bytes, take);
    for (; dropped < cutter.dropped(); ++dropped) lost();
    return true;
  };
  const Transport::Stream stream{.target = versioned("/events" + live_events_query(since)),
                                 .limit = std::nullopt,
                                 .sink = sink_bytes,
                                 .opened = [&] { say("open"); }};
  TRY(accepted(transport_.stream(stream, stop), "events"));
  if (stop.stop_requested()) return {};
  return fail(Errc::engine_unreachable, "events: engine socket " + socket() + ": closed (the stream ended)");
}

Result<std::vector<RawEvent>> HttpEngine::read_window(const std::string& query) {
  const auto answer = TRY(get(versioned("/events" + query), "events"));
  std::vector<RawEvent> events;
  Status parsed;
  LineCutter cutter;
  const auto take = [&](std::string_view line) {
    auto event = parse_event(line);
    if (!event)
      parsed = event.error();
    else if (*event)
      events.push_back(std::move(**event));
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
