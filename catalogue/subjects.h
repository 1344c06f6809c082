#pragma once
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalogue/facts.h"
#include "catalogue/seats.h"
#include "store/store.h"

namespace berth::catalogue {

/// One row of issued_subject. A verb's subject ends in '*', which stands for the caller.
struct IssuedSubject {
  std::string machine;
  std::string owner;  // the seat's name, or "host"
  std::string cls;    // read, act, event, push, ask, report
  std::string name;   // verb or event kind; empty for the host's own
  std::string subject;
  static IssuedSubject from(const store::Columns& c);
};

Result<std::vector<IssuedSubject>> issued_subjects(store::Store& store);
/// Of one machine and one owner.
Result<std::vector<IssuedSubject>> issued_subjects_of(store::Store& store, std::string_view machine, std::string_view owner);

/// Issues what a holder serves and emits on a machine: a subject for each verb under its class, one for each
/// event of the seat and for the notice "gap". What it was issued before and serves no more is withdrawn.
Status issue_seat(store::Store& store, const FleetFacts& fleet, std::string_view machine, const Seat& seat,
                  const std::set<std::string>& verbs);
Status withdraw_subjects(store::Store& store, std::string_view machine, std::string_view owner);

}  // namespace berth::catalogue
