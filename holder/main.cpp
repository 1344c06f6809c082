#include <CLI/CLI.hpp>
#include <iostream>

#include "base/error.h"
#include "base/log.h"
#include "holder/serve/describe.h"
#include "holder/serve/engine_socket.h"
#include "holder/serve/holder.h"
#include "holder/serve/keep_store.h"

// berth-holder: the one process on a machine that speaks to its container engine.
namespace {

int end(const berth::Status& status) {
  if (status) return 0;
  berth::log::error("berth-holder ends", {{"why", berth::to_text(status.error())}});
  return berth::error_row(status.error().code).exit_status;
}

/// For the holder that asked: the first line it reads.
int plain_end(const berth::Status& status) {
  if (status) return 0;
  std::cerr << berth::to_text(status.error()) << "\n";
  return berth::error_row(status.error().code).exit_status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"berth-holder: serves a machine's container runtime to its host and, by grant, on the bus"};
  app.require_subcommand(1);
  app.set_version_flag("--version", BERTH_VERSION);

  std::string config = "/etc/berth/holder.json";
  auto* run = app.add_subcommand("run", "serve until SIGTERM");
  run->add_option("--config", config, "the holder's configuration")->capture_default_str();

  bool markdown = false;
  auto* describe = app.add_subcommand("describe", "print the verbs and events this program serves");
  describe->add_flag("--markdown", markdown)->group("");

  auto* engine_socket = app.add_subcommand("engine-socket", "hand the engine's socket to a holder that may not open it");

  std::string act, file;
  auto* store = app.add_subcommand("store", "this holder's own store: verify, backup FILE, restore FILE");
  store->add_option("ACT", act)->required()->check(CLI::IsMember({"verify", "backup", "restore"}));
  store->add_option("FILE", file);
  store->add_option("--config", config, "the holder's configuration")->capture_default_str();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (describe->parsed()) {
    std::cout << (markdown ? berth::holder::serve::markdown_description()
                           : berth::holder::serve::json_description());
    return 0;
  }
  // The one command of a line in sudoers: no option of the caller's choosing, the machine's own configuration.
  if (engine_socket->parsed()) return plain_end(berth::holder::serve::hand_over_engine_socket("/etc/berth/holder.json"));
  if (store->parsed()) {
    const auto done = berth::holder::serve::keep_store(config, act, file);
    if (done) std::cout << *done << "\n";
    return plain_end(done ? berth::Status{} : berth::Status{done.error()});
  }
  berth::log::start("berth-holder");
  return end(berth::holder::serve::run_holder(config, BERTH_VERSION, berth::holder::serve::own_path(argv[0])));
}
