#include <unistd.h>

#include <iostream>
#include <ostream>

#include "base/file.h"
#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/fleet_bus.h"
#include "cli/interrupts.h"
#include "cli/progress.h"
#include "cli/text.h"
#include "migrate/migrate.h"

namespace berth::cli {
namespace {

using migrate::Outcome;

int exit_status(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::done:
      return 0;
    case Outcome::Kind::refused:
      return 3;
    case Outcome::Kind::silent:
      return 4;
    case Outcome::Kind::failed:
    case Outcome::Kind::stopped:
      break;
  }
  return 1;
}

store::Value text_or_null(const Json& member) {
  return member.is_string() ? store::Value{member.get<std::string>()} : store::Value{};
}

/// A row a machine and step.
Table steps_table(const Json& document) {
  Table table{.columns = {"machine", "step", "name", "state", "attempt", "set_aside", "error"}, .rows = {}};
  const auto machines = document.value("machines", Json::object());
  for (const auto& [machine, said] : machines.items()) {
    for (const auto& [step, row] : said.at("steps").items()) {
      table.rows.push_back({machine, std::int64_t{std::stoi(step)}, row.at("name").get<std::string>(),
                            row.at("state").get<std::string>(), row.at("attempt").get<std::int64_t>(),
                            text_or_null(said.at("set_aside")), text_or_null(row.at("error"))});
    }
  }
  return table;
}

Result<int> show(Context& context, const Result<Outcome>& outcome) {
  if (!outcome) return outcome.error();
  if (context.globals().output == Output::json) {
    context.show(outcome->document);
  } else if (context.globals().output == Output::csv) {
    context.show(steps_table(outcome->document));
  } else {
    context.out() << outcome->text << (outcome->text.ends_with('\n') ? "" : "\n");
  }
  return exit_status(outcome->kind);
}

migrate::Options options_of(const MigrateArgs& args) {
  return {.runner = runner_name(), .program = BERTH_VERSION, .to_step = args.to_step, .machines = args.machines};
}

bool is_terminal() { return ::isatty(STDERR_FILENO) == 1 && ::isatty(STDIN_FILENO) == 1; }

/// A person at a terminal is asked once; a script says --yes.
Status confirmed(Context& context, const MigrateArgs& args, const std::string& what) {
  if (args.yes) return {};
  if (!is_terminal()) return fail_field(Errc::bad_request, "--yes", what + " changes machines; without a terminal to ask on, say --yes");
  context.err() << what << " changes machines. Go on? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "yes") return {};
  return fail(Errc::conflict, "not confirmed; nothing was changed");
}

/// run and back-out need the same of everything.
template <class Act>
Result<int> with_site(Context& context, const MigrateArgs& args, Act act) {
  const Interrupts interrupts;
  const auto fleet = TRY(load_fleet(context));
  auto store = TRY(context.open_store());
  const auto port = TRY(migrate::open_port(fleet, context.seam()));
  migrate::Site site{store, *port, context.clock(), context.seam()};
  Progress progress{context.err(), is_terminal() && context.globals().output == Output::table};
  const auto outcome = act(fleet, options_of(args), site, progress, interrupts.asked());
  return show(context, outcome);
}

}  // namespace

Result<int> migrate_plan(Context& context, const MigrateArgs& args) {
  if (context.globals().output == Output::csv)
    return fail_field(Errc::bad_request, "--output", "a plan is no listing: --output json or none");
  const auto fleet = TRY(load_fleet(context));
  auto store = TRY(context.open_store());
  const auto port = TRY(migrate::open_port(fleet, context.seam()));
  migrate::Site site{store, *port, context.clock(), context.seam()};
  return show(context, migrate::plan(fleet, options_of(args), site));
}

Result<int> migrate_run(Context& context, const MigrateArgs& args) {
  TRY(confirmed(context, args, "migrate run"));
  return with_site(context, args, migrate::run);
}

Result<int> migrate_back_out(Context& context, const MigrateArgs& args) {
  TRY(confirmed(context, args, "migrate back-out of step " + std::to_string(args.to_step)));
  return with_site(context, args, migrate::back_out);
}

Result<int> migrate_status(Context& context) {
  const auto fleet = TRY(load_fleet(context));
  auto store = TRY(context.read_store());
  return show(context, migrate::status(fleet, store));
}

/// The page and its twin hold the engines' files: nobody else may read them.
Result<int> migrate_report(Context& context, const MigrateArgs& args) {
  const auto fleet = TRY(load_fleet(context));
  auto store = TRY(context.read_store());
  const auto report = TRY(migrate::report(fleet, store, BERTH_VERSION));
  std::filesystem::path page = args.file;
  if (page.empty()) page = "migration-" + report["fleet"].get<std::string>() + "-" + report["migration"].get<std::string>() + ".html";
  if (page.extension() != ".html") return fail_field(Errc::bad_request, "FILE", page.native() + " does not end in .html");
  auto twin = page;
  twin.replace_extension(".json");
  TRY(write_file(page, migrate::report_page(report), 0600, context.seam()));
  TRY(write_file(twin, report.dump(2) + "\n", 0600, context.seam()));
  if (context.globals().output == Output::json) {
    context.show(report);
  } else {
    context.out() << printable(page.native()) << "\n" << printable(twin.native()) << "\n";
  }
  return 0;
}

Result<int> migrate_set_aside(Context& context, const MigrateArgs& args) {
  if (!args.bring_in && args.reason.find_first_not_of(" \t\r\n") == std::string::npos)
    return fail_field(Errc::bad_request, "--reason", "--reason is empty: say why, for whoever reads the status");
  const auto fleet = TRY(load_fleet(context));
  auto store = TRY(context.open_store());
  const bool in = args.bring_in;
  Table table{.columns = {"machine", "set_aside"}, .rows = {}};
  for (const auto& machine : args.machines) {
    TRY(in ? migrate::bring_in(fleet, machine, store) : migrate::set_aside(fleet, machine, args.reason, store));
    table.rows.push_back({machine, in ? store::Value{} : store::Value{args.reason}});
    if (context.globals().output == Output::table)
      context.say(machine + (in ? " takes part again" : " is set aside: " + printable(args.reason)));
  }
  if (context.globals().output != Output::table) context.show(table);
  return 0;
}

}  // namespace berth::cli
