#include "holder/engine/frames.h"
#include "holder/engine/http_engine.h"
#include "holder/engine/json_get.h"
#include "holder/engine/log_bounds.h"
#include "holder/engine/refusal.h"
#include "holder/engine/url.h"

namespace berth::holder::engine {
namespace {

/// "" stays "", an RFC 3339 time becomes the engine's own form with all its nanoseconds.
Result<std::string> bound_of(const std::string& text, std::string_view field) {
  if (text.empty()) return std::string{};
  const auto time = parse_rfc3339(text);
  if (!time) return fail_field(Errc::bad_request, std::string{field}, time.error().detail);
  return engine_time(*time);
}

}  // namespace

Status HttpEngine::read_pieces(const std::string& target, bool terminal, LogLines& lines) {
  FrameParser frames;
  Status parsed;
  const Transport::Stream stream{
      target, kBound, [&](std::string_view bytes) {
        if (terminal)
          lines.add_terminal(bytes);
        else
          parsed = frames.feed(bytes, [&](int from, std::string_view piece) { lines.add(from, piece); });
        return parsed.ok();
      }};
  TRY(accepted(transport_.stream(stream, {}), "logs"));
  TRY(parsed);
  return terminal ? Status{} : frames.finish();
}

Result<Logs> HttpEngine::logs(const std::string& id, const LogQuery& query) {
  return logs_of(TRY(inspect(id)), query);
}

/// The engines' `tail` counts pieces, and a long line is many: ask for more until the wanted lines are whole.
/// 0 asks for everything; the lines kept are bounded all the same.
Result<Logs> HttpEngine::logs_of(const Inspected& inspected, const LogQuery& query) {
  const auto meant = TRY(since_meant(query.since, inspected.summary));
  const auto from = TRY(since_asked(info_.kind, meant));
  const auto oldest = TRY(as_stamp(meant));
  const auto until = TRY(bound_of(query.until, "until"));
  // No header says reliably whether there are frames.
  const bool terminal = bool_member(member(*inspected.document, "Config"), "Tty");
  const auto driver = text_member(member(member(*inspected.document, "HostConfig"), "LogConfig"),
                                  "Type");  // "none" keeps nothing
  if (query.tail <= 0) return Logs{};
  std::vector<std::int64_t> asks = {query.tail + 1, query.tail * 8 + 64, query.tail * 64 + 4096};
  if (!tail_is_sound()) asks = {0};
  for (const auto pieces : asks) {
    LogLines lines{info_.kind};
    const auto target = container(inspected.summary.id,
                                  "/logs" + url_query({{"stdout", "1"},
                                                       {"stderr", "1"},
                                                       {"timestamps", "1"},
                                                       {"tail", pieces == 0 ? "all" : std::to_string(pieces)},
                                                       {"since", from},
                                                       {"until", until}}));
    if (auto read = read_pieces(target, terminal, lines); !read)
      return std::move(read).error().while_doing("container " + inspected.summary.id + " with log driver " + driver);
    const bool all_there = pieces == 0 || lines.pieces() < pieces || lines.whole_lines() > query.tail;
    if (!all_there && pieces != asks.back()) continue;
    auto logs = lines.finish(query.tail, oldest);
    logs.truncated = logs.truncated || !all_there;
    return logs;
  }
  return Logs{};
}

}  // namespace berth::holder::engine
