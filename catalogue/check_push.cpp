#include <set>

#include "base/json.h"
#include "catalogue/compose.h"
#include "catalogue/engine_place.h"
#include "catalogue/view.h"

namespace berth::catalogue {
namespace {

/// The two lists a push decides records by.
struct Decided {
  std::set<std::string> declared;  // module.id
  std::set<std::string> given_back;
};

Decided decided_by(const Json& push) {
  Decided decided;
  for (const auto& module : push["declaration"]["modules"]) {
    for (const auto& resource : module["resources"]) {
      decided.declared.insert(module["name"].get<std::string>() + "." + resource["id"].get<std::string>());
    }
  }
  for (const auto& id : push["give_back"]) decided.given_back.insert(id.get<std::string>());
  return decided;
}

Status check_every_record(const Decided& decided, const std::vector<Record>& now,
                          const std::string& machine) {
  for (const auto& record : now) {
    if (!record.is_declared()) continue;
    if (decided.declared.contains(record.id) == decided.given_back.contains(record.id)) {
      return fail_field(Errc::conflict, record.id,
                        machine + ": the push must either declare or give back the record " + record.id);
    }
  }
  return {};
}

Error half(const std::string& machine, const std::string& record, const std::string& why) {
  return fail_field(Errc::collision, record, machine + ": half a hand-over: " + why);
}

/// Both halves or neither. Without the runtime module's half, nobody would set what the others stop setting;
/// without theirs, two modules would write one file.
Status check_halves(const Decided& decided, const EnginePlace& place, const std::vector<Record>& now,
                    const std::string& machine, bool hand_over) {
  const auto mine = place.module + "." + place.resource;
  const bool declares = decided.declared.contains(mine);
  if (hand_over && !declares)
    return half(machine, mine, "nothing declares " + mine + ", so nobody would write " + place.file);
  for (const auto& record : now) {
    if (!record.is_declared() || record.module == place.module || !place.is_written_by(record)) continue;
    const bool gives_back = decided.given_back.contains(record.id);
    if (declares && !gives_back)
      return half(machine, record.id,
                  record.id + " is not given back, and " + mine + " is declared beside it");
    if (!declares && gives_back)
      return half(machine, record.id, record.id + " is given back, and nothing declares " + mine);
  }
  return {};
}

}  // namespace

Status check_push(store::Store& store, const Json& push, const std::vector<Record>& now) {
  const auto machine = push["machine"].get<std::string>();
  const auto decided = decided_by(push);
  TRY(check_every_record(decided, now, machine));
  if (push["kind"] == "back_out") return {};  // it undoes both halves at once: its declaration is what was
  const auto view = TRY(view_of(store, machine));
  const auto place = TRY(engine_place(view));
  const bool hand_over = push["kind"] == "hand_over";
  if (!place) {
    if (!hand_over) return {};
    auto error = half(machine, "", "no module assigned to it can hold the seat " + view.seat.seat);
    error.seat = view.seat.seat;
    error.candidates = view.seat.candidates;
    return error;
  }
  return check_halves(decided, *place, now, machine, hand_over);
}

}  // namespace berth::catalogue
