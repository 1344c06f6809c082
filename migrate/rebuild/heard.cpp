#include "migrate/rebuild/heard.h"

#include "migrate/earlier.h"
#include "migrate/rebuild/member.h"
#include "migrate/scene.h"

namespace berth::migrate::rebuild_detail {
namespace {

Result<Json> asked(const Asking& asking, const std::string& machine, const Json& request) {
  if (asking.stop.stop_requested()) return fail(Errc::timeout, "stopped before " + machine + " was asked");
  return ask_patiently(asking.port, asking.waits, asking.stop, machine, request);
}

/// A host whose release is older than this question says which ones it knows.
Result<Json> pushes_of(const Asking& asking, const std::string& machine) {
  auto said = asked(asking, machine, {{"what", "pushes"}});
  if (!said && said.error().code == Errc::bad_request)
    return fail(Errc::conflict,
                "its host is of a release that does not tell its past: " + said.error().detail);
  auto list = member_in(TRY(said), "pushes");
  if (!list.is_array()) return fail(Errc::failed, machine + "'s list of pushes is none");
  return list;
}

/// Between two states nobody can say which one it is in.
Status check_settled(const Heard& heard) {
  for (const auto& push : heard.pushes) {
    if (!moves_the_file(push) || text_in(push, "state") != "accepted") continue;
    return fail(Errc::conflict,
                text_in(push, "kind") + " push " + text_in(push, "push_id") + " has not ended there");
  }
  const auto trial = member_in(member_in(heard.status, "release"), "trial");
  if (text_in(trial, "state") != "waiting") return {};
  return fail(Errc::conflict, "its release " + text_in(trial, "version") + " is on trial until " +
                                  text_in(trial, "deadline"));
}

Status check_before(const Heard& heard) {
  const bool whole = member_in(heard.before, "file").is_object() &&
                     member_in(heard.before, "records").is_array() &&
                     member_in(heard.before, "keys").is_array();
  if (whole) return {};
  return fail(Errc::failed, heard.machine + " does not say how it was before its hand-over");
}

/// The oldest of the pushes that carried a held seat since there was none. The broker's permissions travel
/// before it in one of their own.
Json seat_push_among(const Json& pushes) {
  Json brought;
  for (const auto& push : pushes) {
    if (text_in(push, "state") != "applied") continue;
    if (moves_the_file(push) || member_in(push, "seat_held") == Json(false)) break;
    if (flag_in(push, "seat_held") && !text_in(push, "push_id").ends_with("-permissions")) brought = push;
  }
  return brought;
}

}  // namespace

Result<Heard> hear(const Asking& asking, const std::string& machine) {
  Heard heard;
  heard.machine = machine;
  heard.status = TRY(asked(asking, machine, {{"what", "status"}}));
  TRY(check_identity(asking.fleet, machine, heard.status));
  heard.pushes = TRY(pushes_of(asking, machine));
  TRY(check_settled(heard));
  heard.snapshot = TRY(asked(asking, machine, {{"what", "snapshot"}}));
  TRY(check_snapshot(machine, heard.snapshot));
  heard.seat = TRY(asked(asking, machine, {{"what", "seat"}}));
  heard.hand_over = standing_hand_over(heard.pushes);
  heard.seat_push = seat_push_among(heard.pushes);
  if (!heard.hand_over.is_object()) return heard;
  const auto push_id = text_in(heard.hand_over, "push_id");
  heard.carried = TRY(asked(asking, machine, {{"what", "push"}, {"push_id", push_id}}));
  heard.before = TRY(asked(asking, machine, {{"what", "before"}, {"push_id", push_id}}));
  TRY(check_before(heard));
  return heard;
}

Status check_still(const Asking& asking, const Heard& heard) {
  const auto now = TRY(asked(asking, heard.machine, {{"what", "status"}}));
  for (const auto* member : {"machine_id", "store", "host_version", "token", "sequence"}) {
    if (member_in(now, member) == member_in(heard.status, member)) continue;
    return fail(Errc::stale, heard.machine + " has moved on while the others were asked (" + member +
                                 "); somebody is at work on this fleet");
  }
  return {};
}

}  // namespace berth::migrate::rebuild_detail
