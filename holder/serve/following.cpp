#include "holder/serve/following.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"

namespace berth::holder::serve {
namespace {

std::string line_of(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Where following begins: right after the last line that was answered, else where the call itself began.
std::string after_lines(const Json& lines, const Json& params, Time asked_at) {
  if (!lines.empty()) {
    if (const auto last = parse_rfc3339(lines.back().value("at", "")))
      return to_rfc3339(*last + std::chrono::nanoseconds{1});
  }
  const auto since = params.find("since");
  return since != params.end() && since->is_string() ? since->get<std::string>() : to_rfc3339(asked_at);
}

}  // namespace

Reply follow_events(const Served& served) {
  if (!served.events) return problem(fail(Errc::not_found, "no events are read here"));
  const auto lines = std::make_shared<LineStream>();
  const auto listener = std::make_shared<events::Feed::Listener>(
      served.events([lines](const std::string& body) { lines->put(body); }));
  lines->when_abandoned([listener] { *listener = {}; });
  return {.type = "application/x-ndjson", .lines = lines};
}

Reply follow_logs(const Served& served, const verbs::Call& call) {
  Json params = call.params;
  params.erase("follow");
  const auto refuse = [&](Error error) { return problem(served.dispatcher.refuse(call, std::move(error))); };
  if (params.contains("until")) return refuse(fail_field(Errc::bad_request, "until", "until does not go with follow"));
  const auto asked_at = system_clock().now();
  const verbs::Call whole{.face = call.face, .caller = call.caller, .verb = call.verb, .params = params};
  const auto answer = served.dispatcher.dispatch(whole);
  if (!answer) return problem(answer.error());
  const auto lines = std::make_shared<LineStream>();
  for (const auto& line : answer->at("lines")) lines->put(line_of(line));
  const auto since = after_lines(answer->at("lines"), params, asked_at);
  const auto started = served.followers.start(
      *lines, [&dispatcher = served.dispatcher, lines, since, id = answer->at("container").get<std::string>()](
                  std::stop_token stop) {
        const auto ended = dispatcher.follow(id, since, std::move(stop), [&](const engine::LogLine& line) {
          lines->put(line_of({{"at", line.at}, {"stream", line.stream}, {"text", line.text}}));
        });
        lines->finish(ended ? "" : line_of(to_problem(ended.error())));
      });
  if (!started) return refuse(started.error());
  return {.type = "application/x-ndjson", .lines = lines};
}

}  // namespace berth::holder::serve
