#include "migrate/earlier.h"

#include "base/json.h"
#include "migrate/rebuild/member.h"

namespace berth::migrate {

using rebuild_detail::member_in;
using rebuild_detail::text_in;

bool moves_the_file(const Json& push) {
  return text_in(push, "kind") == "hand_over" || text_in(push, "kind") == "back_out";
}

/// What was not applied moved nothing.
Json standing_hand_over(const Json& pushes) {
  for (const auto& push : pushes) {
    if (!moves_the_file(push) || text_in(push, "state") != "applied") continue;
    return text_in(push, "kind") == "hand_over" ? push : Json{};
  }
  return {};
}

Status check_not_handed_over(const std::string& machine, const Result<Json>& pushes) {
  if (!pushes) return pushes.error().code == Errc::bad_request ? Status{} : Status{pushes.error()};
  const auto list = member_in(*pushes, "pushes");
  if (!list.is_array()) return {};
  const auto standing = standing_hand_over(list);
  if (standing.is_null()) return {};
  return fail_field(Errc::drift, "machine",
                    machine + " was handed over before (push " + text_in(standing, "push_id") +
                        ") and this store does not know what was found there: another hand-over would lose it. Move this "
                        "store away and make it anew from all machines with berth store rebuild, then go on");
}

}  // namespace berth::migrate
