#include <map>
#include <vector>

#include "bus/permissions.h"
#include "bus/subjects.h"
#include "catalogue/facts.h"
#include "catalogue/grants.h"
#include "catalogue/seats.h"
#include "catalogue/subjects.h"

namespace berth::catalogue {
namespace {

using Subjects = std::vector<std::string>;

/// What one machine's holder was issued.
struct HolderSubjects {
  Subjects events, verbs;
};

std::map<std::string, HolderSubjects> holder_subjects(const std::vector<IssuedSubject>& issued) {
  std::map<std::string, HolderSubjects> by_machine;
  for (const auto& row : issued) {
    if (row.owner != kRuntimeSeat) continue;
    auto& mine = by_machine[row.machine];
    (row.cls == "event" ? mine.events : mine.verbs).push_back(row.subject);
  }
  return by_machine;
}

/// What was issued, by machine: a fleet of a thousand has some twenty thousand subjects, and each grant looks at a machine's.
using IssuedByMachine = std::map<std::string, std::vector<IssuedSubject>>;
IssuedByMachine by_machine_of(std::vector<IssuedSubject> issued) {
  IssuedByMachine by_machine;
  for (auto& row : issued) by_machine[row.machine].push_back(std::move(row));
  return by_machine;
}

/// The subjects a grant lets its caller publish on one machine: one verb's, or read.* for all of them.
Result<Subjects> subjects_of(const Grant& grant, const FleetName& fleet, const std::string& machine,
                             const IssuedByMachine& issued) {
  const auto caller = TRY(CallerName::parse(grant.caller));
  const auto name = TRY(MachineName::parse(machine));
  const auto mine = issued.find(machine);
  if (mine == issued.end()) return Subjects{};
  for (const auto& row : mine->second) {
    if (row.owner != kRuntimeSeat || row.cls != grant.cls) continue;
    if (grant.verb == "*" || row.name == grant.verb)
      return Subjects{bus::verb_subject(fleet, name, grant.cls, grant.verb, caller)};
  }
  return Subjects{};
}

Result<std::map<std::string, Subjects>> caller_subjects(store::Store& store, const FleetFacts& facts,
                                                        const FleetName& fleet,
                                                        const IssuedByMachine& issued) {
  std::map<std::string, Subjects> by_caller;
  by_caller["operator"];  // there, whatever is granted
  for (const auto& caller : TRY(known_callers(store))) by_caller[caller];
  const auto given = TRY(grants(store));
  for (const auto& grant : given) {
    auto& mine = by_caller[grant.caller];
    for (const auto& machine : facts.machines) {
      if (grant.machine != "*" && grant.machine != machine.name) continue;
      auto more = TRY(subjects_of(grant, fleet, machine.name, issued));
      mine.insert(mine.end(), more.begin(), more.end());
    }
  }
  return by_caller;
}

}  // namespace

Result<std::string> render_permissions(store::Store& store) {
  const auto facts = TRY(imported_fleet(store));
  const auto fleet = TRY(FleetName::parse(facts.name));
  auto issued = TRY(issued_subjects(store));
  std::vector<bus::User> users;
  auto holders = holder_subjects(issued);
  for (const auto& machine : facts.machines) {
    const auto name = TRY(MachineName::parse(machine.name));
    auto& mine = holders[machine.name];
    users.push_back(bus::host_user(fleet, name));
    users.push_back(bus::holder_user(name, std::move(mine.events), std::move(mine.verbs)));
  }
  const auto callers = TRY(caller_subjects(store, facts, fleet, by_machine_of(std::move(issued))));
  for (const auto& [caller, verbs] : callers) {
    const auto name = TRY(CallerName::parse(caller));
    users.push_back(caller == "operator" ? bus::operator_user(fleet, name, verbs)
                                         : bus::caller_user(name, verbs));
  }
  for (auto& user : users) {
    if (const auto key = facts.bus.nkeys.find(user.name); key != facts.bus.nkeys.end()) user.nkey = key->second;
  }
  return bus::render_permissions_file(users);
}

}  // namespace berth::catalogue
