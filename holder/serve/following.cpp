#include "holder/serve/following.h"

#include <set>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"

namespace berth::holder::serve {
namespace {

std::string line_of(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Where following begins, and what of that very moment has been answered already: some engines stamp by the second, and
/// lines of the newest one may still come.
class Answered {
 public:
  Answered(const Json& lines, const Json& params, Time asked_at) {
    const auto asked = params.find("since");
    since_ = asked != params.end() && asked->is_string() ? asked->get<std::string>() : to_rfc3339(asked_at);
    if (lines.empty() || !parse_rfc3339(lines.back().value("at", ""))) return;
    since_ = lines.back().value("at", "");
    for (const auto& line : lines) {
      if (line.value("at", "") == since_) told_.insert(line_of(line));
    }
  }
  const std::string& since() const { return since_; }
  /// False for one that was answered; each counts once.
  bool is_new(const std::string& line) {
    const auto at = told_.find(line);
    if (at == told_.end()) return true;
    told_.erase(at);
    return false;
  }

 private:
  std::string since_;
  std::multiset<std::string> told_;
};

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
  Answered answered{answer->at("lines"), params, asked_at};
  const auto started = served.followers.start(
      *lines, [&dispatcher = served.dispatcher, lines, answered = std::move(answered),
               id = answer->at("container").get<std::string>()](std::stop_token stop) mutable {
        const auto ended = dispatcher.follow(id, answered.since(), std::move(stop), [&](const engine::LogLine& line) {
          auto text = line_of({{"at", line.at}, {"stream", line.stream}, {"text", line.text}});
          if (answered.is_new(text)) lines->put(std::move(text));
        });
        lines->finish(ended ? "" : line_of(to_problem(ended.error())));
      });
  if (!started) return refuse(started.error());
  return {.type = "application/x-ndjson", .lines = lines};
}

}  // namespace berth::holder::serve
