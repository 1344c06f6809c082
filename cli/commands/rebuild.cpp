#include <ostream>

#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/fleet_bus.h"
#include "cli/interrupts.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "migrate/migrate.h"

namespace berth::cli {
namespace {

/// A row a machine: what is in the new store, or why there is none.
Table rebuilt_table(const Json& document) {
  const bool made = document.contains("machines");
  Table table{.columns = made ? std::vector<std::string>{"machine", "highest_step", "set_aside", "pushes",
                                                         "reports", "events"}
                              : std::vector<std::string>{"machine", "code", "why"},
              .rows = {}};
  for (const auto& row : document.at(made ? "machines" : "unheard")) {
    std::vector<store::Value> values;
    for (const auto& column : table.columns) {
      const auto& value = row.at(column);
      values.push_back(value.is_number()   ? store::Value{value.get<std::int64_t>()}
                       : value.is_string() ? store::Value{value.get<std::string>()}
                                           : store::Value{});
    }
    table.rows.push_back(std::move(values));
  }
  return table;
}

void show_rebuilt(Context& context, const migrate::Outcome& outcome) {
  if (context.globals().output == Output::json)
    context.show(outcome.document);
  else if (context.globals().output == Output::csv)
    context.show(rebuilt_table(outcome.document));
  else
    context.out() << printable_lines(outcome.text);
}

/// By a rule, with nothing changed: 3, where any other conflict is a failure.
int refuse(Context& context, const Error& why) {
  const Json document = {{"outcome", "refused"}, {"unheard", Json::array()}, {"why", why.detail}};
  show_rebuilt(context,
               {document, "nothing was made: " + why.detail + "\n", migrate::Outcome::Kind::refused});
  return 3;
}

}  // namespace

Result<int> store_rebuild(Context& context, const RebuildArgs& args) {
  const Interrupts interrupts;
  const auto fleet = TRY(load_fleet(context));
  if (const auto vacant = store::Store::check_vacant(context.store_path(), store::Role::fleet); !vacant) {
    if (vacant.error().code != Errc::conflict) return vacant.error();
    return refuse(context, vacant.error());
  }
  TRY(context.make_store_folder());
  const auto port = TRY(migrate::open_port(fleet, context.seam()));
  Progress progress{context.err(), false};
  const migrate::Options options{
      .runner = runner_name(), .program = BERTH_VERSION, .to_step = 5, .machines = args.without};
  // One that does not answer at once is named; a person asks again.
  const migrate::Ground ground{
      *port, context.clock(), context.seam(), {.patience = std::chrono::milliseconds{500}}};
  const auto rebuilt =
      TRY(migrate::rebuild(fleet, options, context.store_path(), ground, progress, interrupts.asked()));
  show_rebuilt(context, rebuilt.outcome);
  if (rebuilt.outcome.kind == migrate::Outcome::Kind::done) return 0;
  return rebuilt.silent ? 4 : 3;
}

}  // namespace berth::cli
