#include "catalogue/grants.h"

#include "base/names.h"
#include "catalogue/facts.h"
#include "catalogue/verbs.h"
#include "catalogue/view.h"
#include "schema/queries.h"

namespace berth::catalogue {
namespace {

using Text = std::string_view;

constexpr store::Query<Grant()> kGrants{schema::queries::grants_given};
constexpr store::Query<Grant(Text)> kGrantsReaching{schema::queries::grants_reaching};
constexpr store::Query<void(Text, Text, Text, Text, Text)> kGrantPut{schema::queries::grant_put};
constexpr store::Query<void(Text, Text, Text, Text)> kGrantGone{schema::queries::grant_gone};
constexpr store::Query<std::string()> kCallersKnown{schema::queries::callers_known};
constexpr store::Query<void(Text)> kCallerForgotten{schema::queries::caller_forgotten};

/// A grant as asked for on a command line, as the row it is.
Result<Grant> grant_row(store::Store& store, Text caller, Text verb, Text machine) {
  TRY(CallerName::parse(caller));
  if (is_reserved_caller(caller)) {
    return fail_field(Errc::bad_request, "caller",
                      std::string{caller} + " is the name of a program's own bus user");
  }
  if (machine != "*" && TRY(imported_fleet_for(store, machine)).find_machine(machine) == nullptr) {
    return fail_field(Errc::not_found, "machine", "there is no machine " + std::string{machine});
  }
  const auto name = own_name_of(verb, TRY(stored_manifests(store)));
  if (!name)
    return fail_field(Errc::unknown_verb, "verb", "no seat and no tool has the verb " + std::string{verb});
  return Grant{std::string{caller}, std::string{machine}, *name,
               *name == "*" ? "read" : std::string{class_of_verb(*name)}};
}

}  // namespace

Grant Grant::from(const store::Columns& c) { return {c.text(0), c.text(1), c.text(2), c.text(3)}; }

bool is_reserved_caller(Text caller) { return caller.starts_with("host-") || caller.starts_with("holder-"); }

Status put_grant(store::Store& store, const Grant& row) {
  TRY(store.set_setting("caller/" + row.caller, "known"));
  TRY(store.run(kGrantPut, row.caller, row.machine, row.verb, row.cls, store.now()));
  return {};
}

Status grant(store::Store& store, Text caller, Text verb, Text machine) {
  return put_grant(store, TRY(grant_row(store, caller, verb, machine)));
}

Status revoke(store::Store& store, Text caller, Text verb, Text machine) {
  const auto row = TRY(grant_row(store, caller, verb, machine));
  const auto gone = TRY(store.run(kGrantGone, row.caller, row.machine, row.verb, row.cls));
  if (gone == 0) {
    return fail(Errc::not_found, row.caller + " has no grant of " + row.verb + " on " + row.machine);
  }
  return {};
}

Result<std::vector<Grant>> grants(store::Store& store) { return store.all(kGrants); }

Result<std::vector<Grant>> grants_reaching(store::Store& store, Text machine) { return store.all(kGrantsReaching, machine); }

Result<std::vector<std::string>> known_callers(store::Store& store) { return store.all(kCallersKnown); }

Status forget_caller(store::Store& store, Text caller) {
  for (const auto& row : TRY(grants(store))) {
    if (row.caller != caller) continue;
    return fail(Errc::conflict, row.caller + " still has a grant of " + row.verb + " on " + row.machine + ": revoke it first");
  }
  if (TRY(store.run(kCallerForgotten, caller)) > 0) return {};
  return fail_field(Errc::not_found, "caller", "nobody named " + std::string{caller} + " was ever granted anything");
}

}  // namespace berth::catalogue
