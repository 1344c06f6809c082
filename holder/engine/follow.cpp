#include "base/json.h"
#include "holder/engine/frames.h"
#include "holder/engine/http_engine.h"
#include "holder/engine/json_get.h"
#include "holder/engine/log_bounds.h"
#include "holder/engine/refusal.h"
#include "holder/engine/url.h"

namespace berth::holder::engine {

Status HttpEngine::follow_logs(const std::string& id, const std::string& since, std::stop_token stop,
                               const std::function<void(LogLine)>& sink) {
  const auto inspected = TRY(inspect(id));
  const bool terminal = bool_member(member(*inspected.document, "Config"), "Tty");
  LogLines lines{info_.kind};
  FrameParser frames;
  Status parsed;
  const auto meant = TRY(since_meant(since, inspected.summary));
  const auto from = TRY(since_asked(info_.kind, meant)), oldest = TRY(as_stamp(meant));
  const auto tell = [&](LogLine line) {
    if (line.at.empty() || may_be_from(line.at, oldest)) sink(std::move(line));
  };
  const auto query = url_query({{"follow", "1"},
                                {"stdout", "1"},
                                {"stderr", "1"},
                                {"timestamps", "1"},
                                {"tail", since.empty() ? "0" : "all"},
                                {"since", from}});
  // Podman sends not even a head until there is a line.
  const auto limit = info_.kind == Kind::podman ? std::optional{std::chrono::milliseconds{0}} : std::nullopt;
  const Transport::Stream stream{
      container(inspected.summary.id, "/logs" + query), limit, [&](std::string_view bytes) {
        if (terminal)
          lines.add_terminal(bytes);
        else
          parsed = frames.feed(bytes, [&](int stream_of, std::string_view piece) { lines.add(stream_of, piece); });
        for (auto& line : lines.take()) tell(std::move(line));
        return parsed.ok();
      }};
  TRY(accepted(transport_.stream(stream, stop), "logs of " + id));
  TRY(parsed);
  auto rest = lines.finish(INT64_MAX);
  for (auto& line : rest.lines) tell(std::move(line));
  return {};
}

}  // namespace berth::holder::engine
