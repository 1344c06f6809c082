#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/commands/commands.h"

namespace berth::cli {
namespace {

/// Builds the tree of commands over one Invocation that the chosen one fills.
class Tree {
 public:
  Tree() {
    app_.require_subcommand(1);
    app_.fallthrough();  // so that --output may stand after the command's name
    app_.set_version_flag("--version", "berth " BERTH_VERSION);
    app_.add_option("--store", chosen_.globals.store, "The operator's store")->type_name("FILE");
    app_.add_option("--fleet", chosen_.globals.fleet, "The fleet document")->type_name("FILE");
    app_.add_option_function<std::string>("--output", [this](const std::string& form) { set_output(form); },
                                          "table (the default), json or csv")
        ->check(CLI::IsMember({"table", "json", "csv"}))
        ->type_name("FORM");
    add_readings();
    add_store();
  }

  CLI::App& app() { return app_; }
  Invocation& chosen() { return chosen_; }

 private:
  template <class Args>
  std::shared_ptr<Args> args() {
    return std::make_shared<Args>();
  }
  CLI::App* command(CLI::App& parent, const std::string& name, const std::string& says,
                    std::function<Result<int>(Context&)> run) {
    auto* made = parent.add_subcommand(name, says);
    made->callback([this, run = std::move(run)] { chosen_.command = run; });
    return made;
  }

  void set_output(const std::string& form) {
    chosen_.globals.output = form == "json" ? Output::json : form == "csv" ? Output::csv : Output::table;
  }

  void add_readings() {
    command(app_, "machines", "What the store knows of each machine", machines);
    command(app_, "seats", "Who holds which seat on which machine", seats);
    auto a = args<AuditArgs>();
    auto* asked = command(app_, "audit", "Ask the store a question; without a name, list them",
                          [a](Context& c) { return audit(c, *a); });
    asked->add_option("name", a->name, "The audit, or sql")->type_name("NAME");
    asked->add_option("statement", a->sql, "With sql: one SELECT")->type_name("SELECT");
    asked->add_option("--machine", a->machine, "Only this machine")->type_name("M");
    auto s = args<AuditArgs>();
    s->name = "sql";
    command(app_, "sql", "Run one SELECT on the store, only to read", [s](Context& c) { return audit(c, *s); })
        ->add_option("statement", s->sql, "One SELECT")
        ->type_name("SELECT")
        ->required();
  }

  void add_store() {
    auto* store = app_.add_subcommand("store", "The store itself")->require_subcommand(1);
    auto target = args<std::string>();
    command(*store, "backup", "Copy the store while it is in use", [target](Context& c) { return store_backup(c, *target); })
        ->add_option("file", *target, "Where to; it must not be there")
        ->type_name("FILE")
        ->required();
    command(*store, "verify", "Check the store for damage", store_verify);
  }

  CLI::App app_{"berth: one owner for each machine's container runtime", "berth"};
  Invocation chosen_;
};

}  // namespace

Result<std::optional<Invocation>> parse_arguments(const std::vector<std::string>& words, std::ostream& out) {
  Tree tree;
  std::vector<std::string> reversed(words.rbegin(), words.rend());  // as CLI11 wants them
  try {
    tree.app().parse(reversed);
    return std::optional{std::move(tree.chosen())};
  } catch (const CLI::Success& asked) {
    std::ostringstream none;
    tree.app().exit(asked, out, none);
    return std::optional<Invocation>{};
  } catch (const CLI::Error& error) {
    return fail(Errc::bad_request, std::string{error.what()} + "; see berth --help");
  }
}

}  // namespace berth::cli
