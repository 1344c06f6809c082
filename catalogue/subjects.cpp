#include "catalogue/subjects.h"

#include "base/json.h"
#include "bus/subjects.h"
#include "catalogue/issue.h"
#include "catalogue/verbs.h"
#include "schema/queries.h"

namespace berth::catalogue {
namespace {

using Text = std::string_view;

constexpr store::Query<IssuedSubject()> kIssued{schema::queries::subjects_issued};
constexpr store::Query<void(Text, Text, Text, Text, Text, Text)> kSubjectPut{schema::queries::subject_put};
constexpr store::Query<void(Text, Text)> kSubjectsGone{schema::queries::subjects_gone};
constexpr store::Query<IssuedSubject(Text, Text)> kIssuedTo{schema::queries::subjects_issued_to};

Status put(store::Store& store, Text machine, Text owner, Text cls, Text name, const std::string& subject) {
  TRY(store.run(kSubjectPut, machine, owner, cls, name, subject, store.now()));
  return {};
}

}  // namespace

IssuedSubject IssuedSubject::from(const store::Columns& c) {
  return {c.text(0), c.text(1), c.text(2), c.text(3), c.text(4)};
}

Result<std::vector<IssuedSubject>> issued_subjects(store::Store& store) { return store.all(kIssued); }

Result<std::vector<IssuedSubject>> issued_subjects_of(store::Store& store, Text machine, Text owner) {
  return store.all(kIssuedTo, machine, owner);
}

Status issue_seat(store::Store& store, const FleetFacts& facts, Text machine, const Seat& seat,
                  const std::set<std::string>& verbs) {
  const auto fleet = TRY(FleetName::parse(facts.name));
  const auto name = TRY(MachineName::parse(machine));
  TRY(withdraw_subjects(store, machine, seat.name));
  for (const auto& verb : verbs) {
    const auto cls = class_of_verb(verb);
    TRY(put(store, machine, seat.name, cls, verb, bus::verb_pattern(fleet, name, cls, verb)));
  }
  auto events = seat.events;
  events.emplace_back("gap");
  for (const auto& kind : events)
    TRY(put(store, machine, seat.name, "event", kind, bus::event_subject(fleet, name, kind)));
  return {};
}

Status withdraw_subjects(store::Store& store, Text machine, Text owner) {
  TRY(store.run(kSubjectsGone, machine, owner));
  return {};
}

std::string stream_name(Text fleet, Text what) {
  const auto name = FleetName::parse(fleet);
  return name ? bus::stream_name(*name, what) : std::string{};
}

Result<Json> issue_host(store::Store& store, const FleetFacts& facts, Text machine) {
  const auto fleet = TRY(FleetName::parse(facts.name));
  const auto name = TRY(MachineName::parse(machine));
  Json subjects = Json::object();
  const auto issued = store.transaction([&]() -> Status {
    for (const Text what : {"push", "ask", "report"}) {
      const auto subject = bus::host_subject(fleet, name, what);
      TRY(put(store, machine, "host", what, "", subject));
      subjects[std::string{what}] = subject;
    }
    return {};
  });
  if (!issued) return issued.error();
  return subjects;
}

}  // namespace berth::catalogue
