#include "catalogue/catalogue.h"

#include <algorithm>
#include <ostream>
#include <tuple>

#include "base/json.h"
#include "catalogue/grants.h"
#include "cli/commands/commands.h"
#include "cli/fleet_bus.h"
#include "schema/queries.h"

namespace berth::cli {
namespace {

std::string verbs_in_words(const std::vector<std::string>& verbs) {
  std::string words;
  for (const auto& verb : verbs)
    words += (words.empty() ? "" : ", ") + (verb == "*" ? "every reading verb" : verb);
  return words;
}

/// The grants of the store that the document does not give: an import takes them back.
Result<std::string> taken_back(store::Store& store, const std::vector<catalogue::Grant>& before) {
  std::string lost;
  const auto now = TRY(catalogue::grants(store));
  for (const auto& grant : before) {
    const bool stays = std::ranges::any_of(now, [&](const catalogue::Grant& other) {
      return std::tie(other.caller, other.machine, other.verb) ==
             std::tie(grant.caller, grant.machine, grant.verb);
    });
    if (!stays)
      lost += "\ntaken back, for the document does not grant it: " + grant.caller + " " + grant.verb +
              " on " + grant.machine;
  }
  return lost;
}

std::string summary(const catalogue::FleetFacts& facts) {
  return "fleet " + facts.name + ": " + std::to_string(facts.machines.size()) + " machines, " +
         std::to_string(facts.manifests.size()) + " modules of its own, " +
         std::to_string(facts.grants.size()) + " grants";
}

}  // namespace

Result<int> catalogue_import(Context& context) {
  const auto fleet = TRY(load_fleet(context));
  auto store = TRY(context.open_store());
  const auto before = TRY(catalogue::grants(store));
  TRY(catalogue::import_fleet(store, fleet.facts));
  context.say("imported " + summary(fleet.facts) + TRY(taken_back(store, before)));
  return 0;
}

Result<int> catalogue_check(Context& context) {
  const auto fleet = TRY(load_fleet(context));
  TRY(catalogue::check_fleet(fleet.facts));
  context.say(fleet.path.native() + " is sound: " + summary(fleet.facts));
  return 0;
}

Result<int> catalogue_show(Context& context) {
  auto store = TRY(context.read_store());
  context.show(TRY(store.table(schema::queries::assignments_shown, {})));
  return 0;
}

Result<int> assign(Context& context, const AssignArgs& args) {
  auto store = TRY(context.open_store());
  TRY(args.assign ? catalogue::assign(store, args.module, args.machine)
                  : catalogue::unassign(store, args.module, args.machine));
  context.say(args.module + (args.assign ? " is assigned to " : " is no longer assigned to ") + args.machine +
              "; `berth push " + args.machine + "` tells the machine");
  return 0;
}

Result<int> grants_list(Context& context) {
  auto store = TRY(context.read_store());
  Table table{.columns = {"caller", "machine", "verb", "class"}, .rows = {}};
  for (const auto& grant : TRY(catalogue::grants(store)))
    table.rows.push_back({grant.caller, grant.machine, grant.verb, grant.cls});
  context.show(table);
  return 0;
}

Result<int> grants_render(Context& context) {
  auto store = TRY(context.read_store());
  const auto text = TRY(catalogue::render_permissions(store));
  if (context.globals().output == Output::json)
    context.show(Json{{"permissions", text}});
  else
    context.out() << text;
  return 0;
}

Result<int> grants_forget(Context& context, const GrantArgs& args) {
  auto store = TRY(context.open_store());
  TRY(catalogue::forget_caller(store, args.caller));
  context.say(args.caller +
              " is no user of the broker from its next push on; take the line of the password from its "
              "secrets.conf before");
  return 0;
}

Result<int> grant(Context& context, const GrantArgs& args) {
  auto store = TRY(context.open_store());
  TRY(store.transaction([&]() -> Status {
    for (const auto& verb : args.verbs) {
      TRY(args.grant ? catalogue::grant(store, args.caller, verb, args.machine)
                     : catalogue::revoke(store, args.caller, verb, args.machine));
    }
    return {};
  }));
  context.say(args.caller + (args.grant ? " may call " : " may no longer call ") +
              verbs_in_words(args.verbs) + " on " + (args.machine == "*" ? "every machine" : args.machine) +
              "; the machines and the broker learn it by `berth push`");
  return 0;
}

}  // namespace berth::cli
