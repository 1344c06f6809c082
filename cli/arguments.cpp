#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/commands/commands.h"

namespace berth::cli {
namespace {

const CLI::Validator kNotEmpty{[](const std::string& text) { return std::string{text.empty() ? "it is empty" : ""}; }, "", "not_empty"};

/// An empty variable of a script is not the default.
const CLI::Validator kNamesSomething{[](const std::string& text) { return text.empty() ? "names no file" : std::string{}; }, ""};

/// Builds the tree of commands over one Invocation that the chosen one fills.
class Tree {
 public:
  Tree() {
    app_.require_subcommand(1);
    app_.fallthrough();  // so that --output may stand after the command's name
    app_.set_version_flag("--version", "berth " BERTH_VERSION);
    app_.add_option("--store", chosen_.globals.store, "The operator's store")->type_name("FILE")->check(kNamesSomething);
    app_.add_option("--fleet", chosen_.globals.fleet, "The fleet document")->type_name("FILE")->check(kNamesSomething);
    app_.add_option_function<std::string>("--output", [this](const std::string& form) { set_output(form); },
                                          "table (the default), json or csv")
        ->check(CLI::IsMember({"table", "json", "csv"}))
        ->type_name("FORM");
    add_readings();
    add_machine_commands();
    add_catalogue();
    add_migrate();
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
    command(app_, "doctor", "Look for what is wrong, and say what to do about it; with --fleet, on every machine", doctor);
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

  void add_machine_commands() {
    auto c = args<ContainersArgs>();
    auto* listed = command(app_, "containers", "Each machine's containers, asked now", [c](Context& x) { return containers(x, *c); });
    listed->add_option("--machine", c->machine, "Only this machine")->type_name("M");
    auto* held = listed->add_flag("--held", c->held, "Only those the mesh holds");
    listed->add_flag("--stray", c->stray, "Only those it does not hold")->excludes(held);
    listed->add_option("--state", c->state, "Only those in this state")
        ->check(CLI::IsMember({"created", "running", "paused", "restarting", "removing", "exited", "dead", "unknown"}))
        ->type_name("S");

    auto k = args<CallArgs>();
    auto* asked = command(app_, "call", "Ask one machine's holder one verb", [k](Context& x) { return call(x, *k); });
    asked->add_option("machine", k->machine)->type_name("MACHINE")->required();
    asked->add_option("verb", k->verb)->type_name("VERB")->required();
    asked->add_option("params", k->params, "key=value, or key:=JSON")->type_name("KEY=VALUE");
    asked->add_option("--json", k->json, "The parameters from a file, or - for standard input")->type_name("FILE");

    auto l = args<LogsArgs>();
    auto* logged = command(app_, "logs", "A container's last lines", [l](Context& x) { return logs(x, *l); });
    logged->add_option("machine", l->machine)->type_name("MACHINE")->required();
    logged->add_option("container", l->container)->type_name("CONTAINER")->required();
    logged->add_option("--tail", l->tail, "How many")->check(CLI::Range(1, 2000));
    logged->add_flag("-f,--follow", l->follow, "Go on with new ones");

    auto e = args<EventsArgs>();
    auto* told = command(app_, "events", "What happened to containers; with --fleet, also what is still in the stream",
                         [e](Context& x) { return events(x, *e); });
    told->add_option("--machine", e->machine, "Only this machine")->type_name("M");
    told->add_option("--since", e->since, "10m, 2h, 1d or a time")->check(kNotEmpty)->type_name("T");
    told->add_flag("-f,--follow", e->follow, "Go on with new ones");
  }

  void add_catalogue() {
    auto* group = app_.add_subcommand("catalogue", "What the fleet should be")->require_subcommand(1);
    command(*group, "import", "Take the fleet document into the store", catalogue_import);
    command(*group, "check", "Say whether the fleet document would be taken", catalogue_check);
    command(*group, "show", "Modules assigned, and the seats they hold", catalogue_show);
    for (const bool on : {true, false}) {
      auto a = args<AssignArgs>();
      a->assign = on;
      auto* made = command(app_, on ? "assign" : "unassign", on ? "Assign a module to a machine" : "Take a module from a machine",
                           [a](Context& x) { return assign(x, *a); });
      made->add_option("module", a->module)->type_name("MODULE")->required();
      made->add_option("machine", a->machine)->type_name("MACHINE")->required();
      auto g = args<GrantArgs>();
      g->grant = on;
      made = command(app_, on ? "grant" : "revoke", on ? "Let a caller ask verbs" : "Take verbs from a caller",
                     [g](Context& x) { return grant(x, *g); });
      made->add_option("caller", g->caller)->type_name("CALLER")->required();
      made->add_option("verbs", g->verbs, "Verbs, or '*' for all that only read")->type_name("VERB")->required();
      made->add_option("--machine", g->machine, "A machine, or '*'")->type_name("M")->required();
    }
    auto* grants = app_.add_subcommand("grants", "Who may ask what")->require_subcommand(1);
    command(*grants, "list", "Every grant", grants_list);
    command(*grants, "render", "The broker's permissions, as its machine gets them", grants_render);
    auto f = args<GrantArgs>();
    made_forget(*grants, f);
    auto p = args<PushArgs>();
    auto* pushed = command(app_, "push", "Send machines what the catalogue says of them", [p](Context& x) { return push(x, *p); });
    pushed->add_option("machines", p->machines, "Which; all that take part if none is named")->type_name("MACHINE");
    pushed->add_flag("--plan", p->plan, "Only show what would be sent and what it would leave");
  }

  void made_forget(CLI::App& group, const std::shared_ptr<GrantArgs>& f) {
    command(group, "forget", "Take a caller who has no grant from the broker's users", [f](Context& x) { return grants_forget(x, *f); })
        ->add_option("caller", f->caller)
        ->type_name("CALLER")
        ->required();
  }

  CLI::App* migration(CLI::App& group, const std::string& name, const std::string& says, const std::shared_ptr<MigrateArgs>& m,
                      Result<int> (*run)(Context&, const MigrateArgs&)) {
    auto* made = command(group, name, says, [m, run](Context& x) { return run(x, *m); });
    made->add_option("--machine", m->machines, "Only this machine; may be said again")->type_name("M");
    return made;
  }

  void add_migrate() {
    auto* group = app_.add_subcommand("migrate", "The five steps")->require_subcommand(1);
    for (const bool plan : {true, false}) {
      auto m = args<MigrateArgs>();
      auto* made = plan ? migration(*group, "plan", "What each step would do; changes nothing", m, migrate_plan)
                        : migration(*group, "run", "Go on from wherever it is", m, migrate_run);
      made->add_option("--to-step", m->to_step, "The last step")->check(CLI::Range(1, 5))->type_name("N");
      made->add_flag("--yes", m->yes, "Do not ask");
    }
    command(*group, "status", "Where it is, and what a person must do next", migrate_status);
    auto r = args<MigrateArgs>();
    command(*group, "report", "Write what was done and proved as one HTML page, and its JSON beside it",
            [r](Context& x) { return migrate_report(x, *r); })
        ->add_option("file", r->file, "Where to; ending in .html")
        ->type_name("FILE");
    auto b = args<MigrateArgs>();
    auto* back = migration(*group, "back-out", "Undo a step where it is the highest done", b, migrate_back_out);
    back->add_option("--to-step,--step", b->to_step, "The step to undo")->check(CLI::Range(1, 5))->type_name("N")->required();
    back->add_flag("--yes", b->yes, "Do not ask");
    auto out = args<MigrateArgs>();
    migration(*group, "set-aside", "Take machines out, with the reason", out, migrate_set_aside)->get_option("--machine")->required();
    group->get_subcommand("set-aside")->add_option("--reason", out->reason)->type_name("WHY")->required();
    auto in = args<MigrateArgs>();
    in->bring_in = true;
    migration(*group, "bring-in", "Let machines take part again", in, migrate_set_aside)->get_option("--machine")->required();
  }

  void add_store() {
    auto* store = app_.add_subcommand("store", "The store itself")->require_subcommand(1);
    auto target = args<std::string>();
    command(*store, "backup", "Copy the store while it is in use", [target](Context& c) { return store_backup(c, *target); })
        ->add_option("file", *target, "Where to; it must not be there")
        ->type_name("FILE")
        ->required();
    command(*store, "verify", "Check the store for damage", store_verify);
    auto backup = args<std::string>();
    command(*store, "restore", "Put a backup in the store's place; what was there is kept beside it",
            [backup](Context& c) { return store_restore(c, *backup); })
        ->add_option("file", *backup, "A backup of this store")
        ->type_name("FILE")
        ->required();
    auto r = args<RebuildArgs>();
    command(*store, "rebuild", "Make a lost store anew from the fleet document, what every machine remembers and the streams",
            [r](Context& c) { return store_rebuild(c, *r); })
        ->add_option("--set-aside", r->without, "Go on without this machine, which cannot be asked; may be said again")
        ->type_name("M");
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
  } catch (const CLI::RequiredError& error) {
    const auto unknown = tree.app().remaining(true);  // CLI11 misses a command before it says that a word is none
    if (unknown.empty()) return fail(Errc::bad_request, std::string{error.what()} + "; see berth --help");
    return fail(Errc::bad_request, "there is no command \"" + unknown.front() + "\" here; see berth --help");
  } catch (const CLI::Error& error) {
    return fail(Errc::bad_request, std::string{error.what()} + "; see berth --help");
  }
}

}  // namespace berth::cli
