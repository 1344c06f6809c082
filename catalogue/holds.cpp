#include "catalogue/holds.h"

#include <algorithm>

#include "schema/queries.h"

namespace berth::catalogue {
namespace {

using Text = std::string_view;

constexpr store::Query<Hold()> kHolds{schema::queries::seat_holds};
constexpr store::Query<Hold(Text, Text)> kHoldOf{schema::queries::seat_hold_of};
constexpr store::Query<void(Text, Text, Text, Text, Text)> kHoldPut{schema::queries::seat_hold_put};
constexpr store::Query<void(Text, Text)> kHoldGone{schema::queries::seat_hold_gone};
constexpr store::Query<std::string()> kEnforced{schema::queries::seats_enforced};

/// A setting of its own, the seat first so that one seat's are together.
std::string enforcement_key(Text machine, Text seat) {
  return "enforced/" + std::string{seat} + "/" + std::string{machine};
}

}  // namespace

Hold Hold::from(const store::Columns& c) {
  return {c.text(0), c.text(1), c.text(2), c.maybe_text(3).value_or(""), c.text(4)};
}

Result<std::vector<Hold>> holds(store::Store& store) { return store.all(kHolds); }

Result<std::optional<Hold>> holder_of(store::Store& store, Text machine, Text seat) {
  return store.first(kHoldOf, machine, seat);
}

Status put_hold(store::Store& store, const Hold& hold) {
  TRY(store.run(kHoldPut, hold.machine, hold.seat, hold.module, hold.socket, hold.held_at));
  return {};
}

Status drop_hold(store::Store& store, Text machine, Text seat) {
  TRY(store.run(kHoldGone, machine, seat));
  return {};
}

Status set_enforced(store::Store& store, Text machine, Text seat, bool enforced) {
  return store.set_setting(enforcement_key(machine, seat), enforced ? "yes" : "no");
}

Result<bool> is_enforced(store::Store& store, Text machine, Text seat) {
  return TRY(store.setting(enforcement_key(machine, seat))) == "yes";
}

Result<bool> is_enforced_anywhere(store::Store& store, Text seat) {
  const auto keys = TRY(store.all(kEnforced));
  const auto mine = enforcement_key("", seat);
  return std::ranges::any_of(keys, [&](const std::string& key) { return key.starts_with(mine); });
}

}  // namespace berth::catalogue
