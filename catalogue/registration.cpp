#include <algorithm>
#include <iterator>
#include <set>

#include "base/fields.h"
#include "base/json.h"
#include "catalogue/holds.h"
#include "catalogue/seats.h"
#include "catalogue/subjects.h"
#include "catalogue/verbs.h"
#include "catalogue/view.h"
#include "schema/queries.h"

namespace berth::catalogue {
namespace {

using Text = std::string_view;

struct SeatRow {
  std::string name, document;
  static SeatRow from(const store::Columns& c) { return {c.text(0), c.text(1)}; }
};

constexpr store::Query<SeatRow()> kSeeded{schema::queries::seats_seeded};
constexpr store::Query<void(Text)> kSeatGone{schema::queries::seat_gone};

Result<Seat> seeded_seat(store::Store& store, Text seat) {
  const auto rows = TRY(store.all(kSeeded));
  for (const auto& row : rows) {
    if (row.name == seat) return parse_seat(row.document, "the store's seat " + row.name);
  }
  auto error = fail_field(Errc::not_found, "seat", "the seat " + std::string{seat} + " is not seeded");
  error.seat = seat;
  return error;
}

/// What a registration needs of GET /v1/seat's answer.
struct Described {
  std::string machine, module, socket;
  std::vector<std::string> verbs, events, tools;
};

Result<Described> read_description(const Json& describe) {
  if (!describe.is_object()) return fail(Errc::bad_request, "the holder's description must be an object");
  Fields f{describe, "the holder's description"};
  Described d;
  d.machine = f.text("machine", "");
  d.module = f.text("module", "");
  d.verbs = f.texts("verbs");
  d.events = f.texts("events");
  d.tools = f.texts("tools");
  const auto& engine = f.object("engine");
  Fields e{engine, "the holder's description.engine"};
  d.socket = e.text("socket", "");
  for (const auto* known : {"seat", "held", "version", "store"}) f.any(known);
  TRY(f.finish());
  for (const auto& [key, value] : engine.items()) e.any(key);  // the rest of the engine is not ours to judge
  TRY(e.finish());
  return d;
}

Error refuse(Errc code, Text seat, std::string detail) {
  auto error = fail(code, std::move(detail));
  error.seat = seat;
  return error;
}

/// The verbs that get a subject: what the manifest promises and the holder says it serves, by name or by
/// tool.
std::set<std::string> served_now(const Manifest& module, const Described& described) {
  std::set<std::string> says{described.verbs.begin(), described.verbs.end()};
  for (const auto& tool : described.tools) says.insert(verb_of_tool(module, tool));
  std::set<std::string> verbs;
  std::ranges::set_intersection(served_verbs(module), says, std::inserter(verbs, verbs.end()));
  return verbs;
}

/// The claimant, once everything about it was checked.
Result<Hold> checked_hold(store::Store& store, const View& view, const Seat& seat,
                          const Described& described) {
  const auto& machine = view.machine.name;
  const auto* module = view.runtime();
  if (module == nullptr) return seat_unheld(view.seat, machine, containerised(Json::array()));
  if (!described.machine.empty() && described.machine != machine) {
    return refuse(Errc::conflict, seat.name, machine + ": the holder says it is on " + described.machine);
  }
  if (!described.module.empty() && described.module != module->name) {
    return refuse(Errc::conflict, seat.name,
                  machine + ": the holder says it is of " + described.module + ", but " + module->name +
                      " is assigned");
  }
  TRY(check_serves(seat, machine + ": " + module->name, described.verbs, described.events));
  const auto held = TRY(holder_of(store, machine, seat.name));
  if (held && held->module != module->name) {
    return refuse(Errc::conflict, seat.name,
                  machine + ": the seat " + seat.name + " is held by " + held->module);
  }
  return Hold{machine, seat.name, module->name, described.socket, store.now()};
}

}  // namespace

Status register_holder(store::Store& store, Text machine, Text seat, const Json& describe) {
  return store.transaction([&]() -> Status {
    const auto seeded = TRY(seeded_seat(store, seat));
    const auto view = TRY(view_of(store, machine));
    const auto described = TRY(read_description(describe));
    const auto hold = TRY(checked_hold(store, view, seeded, described));
    TRY(put_hold(store, hold));
    TRY(set_enforced(store, machine, seat, true));
    return issue_seat(store, view.fleet, machine, seeded, served_now(*view.runtime(), described));
  });
}

Status withdraw(store::Store& store, Text machine, Text seat) {
  return store.transaction([&]() -> Status {
    TRY(drop_hold(store, machine, seat));
    TRY(withdraw_subjects(store, machine, seat));
    TRY(set_enforced(store, machine, seat, false));
    if (!TRY(is_enforced_anywhere(store, seat))) TRY(store.run(kSeatGone, seat));
    return {};
  });
}

}  // namespace berth::catalogue
