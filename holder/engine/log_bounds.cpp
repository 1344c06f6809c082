#include "holder/engine/log_bounds.h"

#include <algorithm>

#include "holder/engine/url.h"

namespace berth::holder::engine {
namespace {

constexpr std::size_t kSecondsEnd = 19;  // "2026-11-29T19:30:33"

Result<Time> time_of(const std::string& since) {
  auto time = parse_rfc3339(since);
  if (!time) return fail_field(Errc::bad_request, "since", time.error().detail);
  return time;
}

}  // namespace

Result<std::string> since_asked(Kind kind, const std::string& since) {
  if (since.empty()) return std::string{};
  const auto time = TRY(time_of(since));
  if (kind != Kind::podman) return engine_time(time);
  return engine_time(std::chrono::floor<std::chrono::seconds>(time) - std::chrono::seconds{1});
}

Result<std::string> since_meant(const std::string& since, const Summary& container) {
  if (since.empty() || container.started_at.empty()) return since;
  const auto started = parse_rfc3339(container.started_at);
  if (!started || TRY(time_of(since)) != *started) return since;
  auto from = *started - std::chrono::seconds{1};
  const auto ended = parse_rfc3339(container.finished_at);
  if (ended && *ended < *started) from = std::max(from, *ended);
  return to_rfc3339(from);
}

Result<std::string> as_stamp(const std::string& time) {
  if (time.empty()) return std::string{};
  return to_rfc3339(TRY(time_of(time)));
}

bool may_be_from(const std::string& stamp, const std::string& since) {
  if (stamp >= since) return true;
  return stamp.ends_with(".000000000Z") && stamp.compare(0, kSecondsEnd, since, 0, kSecondsEnd) == 0;
}

}  // namespace berth::holder::engine
