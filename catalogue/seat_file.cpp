#include <map>
#include <set>

#include "base/json.h"
#include "bus/subjects.h"
#include "catalogue/grants.h"
#include "catalogue/issue.h"
#include "catalogue/subjects.h"
#include "catalogue/view.h"

namespace berth::catalogue {
namespace {

/// The subjects of one machine's seat by class and name.
Result<Json> subjects_of(store::Store& store, std::string_view machine, std::string_view seat) {
  Json subjects = {{"read", Json::object()}, {"act", Json::object()}, {"event", Json::object()}};
  const auto issued = TRY(issued_subjects_of(store, machine, seat));
  for (const auto& row : issued) subjects[row.cls][row.name] = row.subject;
  return subjects;
}

/// The grants that reach a machine, one entry a caller and class.
Result<Json> grants_of(store::Store& store, std::string_view machine) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> verbs;
  const auto given = TRY(grants_reaching(store, machine));
  for (const auto& grant : given) verbs[{grant.caller, grant.cls}].insert(grant.verb);
  Json list = Json::array();
  for (const auto& [key, names] : verbs)
    list.push_back({{"caller", key.first}, {"verbs", names}, {"class", key.second}});
  return list;
}

}  // namespace

Result<Json> seat_file(store::Store& store, std::string_view machine, std::string_view seat) {
  const auto view = TRY(view_of(store, machine));
  const auto hold = TRY(holder_of(store, machine, seat));
  if (!hold) return seat_unheld(view.seat, view.machine.name, {});
  const auto fleet = TRY(FleetName::parse(view.fleet.name));
  const auto subjects = TRY(subjects_of(store, machine, seat));
  const auto grants = TRY(grants_of(store, machine));
  return Json{{"fleet", view.fleet.name},
              {"machine", machine},
              {"seat", seat},
              {"module", hold->module},
              {"held", true},
              {"subjects", subjects},
              {"stream", bus::stream_name(fleet, "EVENTS")},
              {"grants", grants}};
}

}  // namespace berth::catalogue
