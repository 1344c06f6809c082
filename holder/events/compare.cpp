#include "holder/events/compare.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "holder/events/normalise.h"

namespace berth::holder::events {
namespace {

Time time_or(const std::string& text, Time otherwise) {
  const auto time = parse_rfc3339(text);
  return time ? *time : otherwise;
}

Happening inferred(const Known& known, const char* kind, Time at) {
  auto happening = about(known, kind, at);
  happening.inferred = true;
  return happening;
}

bool runs(const engine::Summary& seen) { return seen.state == "running" || seen.state == "paused"; }
bool has_ended(const engine::Summary& seen) {
  return seen.state == "exited" || seen.state == "dead" || seen.state == "restarting";
}

/// The end that is the newest thing about it.
Happening end_of(const Known& known, const engine::Summary& seen, Time now) {
  auto end = inferred(known, "died", time_or(seen.finished_at, now));
  if (has_ended(seen)) end.exit_code = seen.exit_code;
  return end;
}

/// The end of the run before the one that is seen: its exit code is gone, and so may be its time.
Happening earlier_end(const Known& known, const engine::Summary& seen, Time now) {
  const auto finished = has_ended(seen) ? seen.started_at : std::min(seen.started_at, seen.finished_at);
  return inferred(known, "died", time_or(finished, time_or(seen.started_at, now)));
}

/// What changes without an event of its own.
void take_over(Known& known, const engine::Summary& seen) {
  const auto before = known;
  known = known_from(seen);
  known.asked = before.asked;
  known.oom = before.oom;
  known.stopped_told = before.stopped_told;
  known.start_inferred = before.start_inferred;
  known.compared_at = before.compared_at;
  known.moved_at = before.moved_at;
  if (known.started_at.empty()) known.started_at = before.started_at;
}

}  // namespace

std::vector<Happening> transitions(Known& known, const engine::Summary& seen, Time now) {
  std::vector<Happening> told;
  // An event of a start is a little later than the start itself, so only a later one is another start.
  const bool another_start = !seen.started_at.empty() && seen.started_at > known.started_at;
  const bool ran = known.runs();
  // Docker tells an end a moment before its list shows it: what runs again has started again.
  if (known.has_ended() && runs(seen) && !another_start) return told;
  take_over(known, seen);
  if (ran && another_start) told.push_back(earlier_end(known, seen, now));
  if (another_start || (runs(seen) && !ran)) {
    told.push_back(inferred(known, "started", time_or(seen.started_at, now)));
    known.stopped_told = false;
    known.start_inferred = true;
  }
  const bool was_up = ran || another_start;
  if (!was_up || runs(seen)) return told;
  told.push_back(end_of(known, seen, now));
  known.stopped_told = false;
  return told;
}

std::vector<Happening> first_seen(World& world, const engine::Summary& seen, Time now) {
  auto& known = world[seen.id];
  known = known_from(seen);
  std::vector<Happening> told{inferred(known, "created", time_or(seen.created_at, now))};
  if (runs(seen)) told.push_back(inferred(known, "started", time_or(seen.started_at, now)));
  if (has_ended(seen)) told.push_back(end_of(known, seen, now));
  known.start_inferred = runs(seen);
  return told;
}

std::vector<Happening> compare(World& world, const std::vector<engine::Summary>& list, Time now,
                               const std::set<std::string>& ahead) {
  std::vector<Happening> told;
  const auto append = [&](std::vector<Happening> more) { std::ranges::move(more, std::back_inserter(told)); };
  auto there = ahead;
  for (const auto& seen : list) {
    if (!there.insert(seen.id).second) continue;
    const auto found = world.find(seen.id);
    append(found == world.end() ? first_seen(world, seen, now) : transitions(found->second, seen, now));
  }
  for (auto it = world.begin(); it != world.end();) {
    if (there.contains(it->first)) {
      ++it;
      continue;
    }
    if (it->second.runs()) told.push_back(inferred(it->second, "died", now));
    told.push_back(inferred(it->second, "removed", now));
    it = world.erase(it);
  }
  return told;
}

}  // namespace berth::holder::events
