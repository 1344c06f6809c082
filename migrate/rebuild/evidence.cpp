#include "migrate/rebuild/evidence.h"

#include <algorithm>

#include "migrate/rebuild/member.h"

namespace berth::migrate::rebuild_detail {
namespace {

/// A module's record of the engine's file: the hand-over is not only remembered, it holds.
bool owns_the_file(const Json& snapshot) {
  const auto path = text_in(member_in(snapshot, "file"), "path");
  return std::ranges::any_of(snapshot.at("records"), [&](const Json& record) {
    return text_in(record, "type") == "json" && text_in(record, "origin") == "declared" &&
           text_in(member_in(record, "declared"), "path") == path;
  });
}

bool is_seat_held(const Json& seat) {
  return flag_in(seat, "answering") && flag_in(member_in(seat, "seat"), "held");
}

/// A holder that does not answer now held the seat when its host reported last, or has to by its release.
bool should_answer(const StreamsSeen& seen, bool released) {
  return released || flag_in(member_in(seen.newest, "seat"), "held");
}

}  // namespace

Result<int> highest_step(const FleetDocument& fleet, const Heard& heard, const StreamsSeen& seen,
                         std::vector<Loss>& lost) {
  const auto version = text_in(heard.status, "host_version");
  const bool last = version == fleet.version("without_cli");
  const bool released = last || version == fleet.version("with_holder");
  if (!heard.hand_over.is_object() || !owns_the_file(heard.snapshot)) {
    if (released)
      lost.push_back({heard.machine, "its steps",
                      "it runs " + version + ", and its host remembers no hand-over that still holds"});
    return 0;
  }
  if (!flag_in(heard.seat, "answering") && should_answer(seen, released))
    return fail(Errc::holder_silent, "its holder does not answer: " + text_in(heard.seat, "cause"));
  if (!is_seat_held(heard.seat)) {
    if (released)
      lost.push_back(
          {heard.machine, "steps 3 and on", "it runs " + version + ", and nobody holds the seat there"});
    return 2;
  }
  if (!released && seen.probe.is_null()) {
    lost.push_back({heard.machine, "step 3",
                    "no probe of its is in the stream of events; the next run does the step again"});
    return 2;
  }
  if (last && !seen.without_cli)
    return fail(Errc::conflict,
                "it runs " + version + ", and no report of that release is in the stream yet");
  if (!released || last) return last ? 5 : 3;
  if (!seen.with_holder)
    lost.push_back({heard.machine, "step 4",
                    "no unchanged report of " + version +
                        " by the holder's path is in the stream; the next run proves it again"});
  return seen.with_holder ? 4 : 3;
}

}  // namespace berth::migrate::rebuild_detail
