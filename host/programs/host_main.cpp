#include "host/programs/host_main.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "base/error.h"
#include "base/log.h"
#include "host/programs/commands.h"
#include "host/serve/daemon.h"
#include "store/store.h"

namespace berth::host {
namespace {

/// 0 done, 1 failed, 3 refused; a report says itself which it is.
int exit_status_of(const Json& answer) {
  const auto result = answer.is_object() ? answer.value("result", "") : std::string{};
  if (result == "failed") return 1;
  return result == "refused" ? 3 : 0;
}

int print(const Result<Json>& answer) {
  if (!answer) {
    std::cerr << "berth-host: " << to_text(answer.error()) << "\n";
    return error_row(answer.error().code).exit_status;
  }
  std::cout << answer->dump(2) << "\n";
  return exit_status_of(*answer);
}

int print(const Status& status) {
  if (status) return 0;
  log::error("ended", {{"cause", to_text(status.error())}});
  return error_row(status.error().code).exit_status;
}

struct Line {
  std::string config = "/etc/berth/host.json", file, module, act;
};

int run_command(const std::string& name, const Line& line, const serve::Program& program) {
  auto& seam = no_faults();
  const auto config = Config::load(line.config);
  if (!config) return print(Result<Json>{config.error()});
  const Command command{*config, std::filesystem::absolute(line.config), program, seam};
  if (name == "run") return print(serve::run_daemon(*config, command.config_file, program, seam));
  if (name == "watch-release") return print(watch(command));
  if (name == "apply") return print(apply_file(command, line.file));
  if (name == "plan") return print(plan_file(command, line.file));
  if (name == "bootstrap") return print(bootstrap_file(command, line.file));
  if (name == "give-back") return print(give_back(command, line.module));
  if (name == "store") return print(keep_store(command, line.act, line.file));
  if (name == "read") return print(read_machine(command));
  return print(status(command));
}

void describe(CLI::App& app, Line& line) {
  app.add_option("--config", line.config, "this host's configuration")->capture_default_str();
  app.require_subcommand(1);
  app.add_subcommand("run", "serve pushes and questions, and keep the machine as declared");
  app.add_subcommand("apply", "carry out a push from a file")->add_option("FILE", line.file)->required();
  app.add_subcommand("plan", "what a push would leave in the engine's file; changes nothing")
      ->add_option("FILE", line.file)
      ->required();
  app.add_subcommand("read", "print this machine as it is now");
  app.add_subcommand("give-back", "give back every record of a module")
      ->add_option("MODULE", line.module)
      ->required();
  app.add_subcommand("bootstrap", "make what a foundation bundle says, as carried records")
      ->add_option("BUNDLE", line.file)
      ->required();
  auto* store = app.add_subcommand("store", "this host's own store: verify, backup FILE, restore FILE");
  store->add_option("ACT", line.act)->required()->check(CLI::IsMember({"verify", "backup", "restore"}));
  store->add_option("FILE", line.file);
  app.add_subcommand("status", "print this host's own state");
  app.add_subcommand("watch-release", "go back to the last release unless the new one proves itself");
  app.add_subcommand("schema-version", "print the schema of this program's store");
}

}  // namespace

int host_main(int argc, char** argv, const serve::Program& program) {
  log::start("berth-host");
  CLI::App app{"berth's apply engine on a machine"};
  Line line;
  app.set_version_flag("--version", serve::version_of(program));
  describe(app, line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const auto name = app.get_subcommands().front()->get_name();
  if (name == "schema-version") {
    std::cout << store::schema_version() / 1000 << "." << store::schema_version() % 1000 << "\n";
    return 0;
  }
  return run_command(name, line, program);
}

}  // namespace berth::host
