#include "migrate/earlier.h"

#include "base/json.h"
#include "migrate/rebuild/member.h"

namespace berth::migrate {
namespace {

using rebuild_detail::member_in;
using rebuild_detail::text_in;

/// The newest first; what was not applied moved nothing.
Json newest_that_moved_the_file(const Json& pushes) {
  for (const auto& push : pushes) {
    const auto kind = text_in(push, "kind");
    if (text_in(push, "state") == "applied" && (kind == "hand_over" || kind == "back_out")) return push;
  }
  return {};
}

}  // namespace

Status check_not_handed_over(const std::string& machine, const Result<Json>& pushes) {
  if (!pushes) return pushes.error().code == Errc::bad_request ? Status{} : Status{pushes.error()};
  const auto list = member_in(*pushes, "pushes");
  if (!list.is_array()) return {};
  const auto moved = newest_that_moved_the_file(list);
  if (text_in(moved, "kind") != "hand_over") return {};
  return fail_field(Errc::drift, "machine",
                    machine + " was handed over before (push " + text_in(moved, "push_id") +
                        ") and this store does not know what was found there: another hand-over would lose it. Move this "
                        "store away and make it anew from all machines with berth store rebuild, then go on");
}

}  // namespace berth::migrate
