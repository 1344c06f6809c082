#include "host/programs/commands.h"

#include <unistd.h>

#include "base/config.h"
#include "host/apply/applier.h"
#include "host/apply/preview.h"
#include "host/apply/seat.h"
#include "host/release/watch.h"
#include "host/serve/asks.h"
#include "host/serve/snapshot.h"
#include "store/care.h"
#include "store/lock.h"

namespace berth::host {
namespace {

constexpr std::chrono::seconds kLockWait{10};

/// The store that may be written, its lock held, and the machine.
struct Writing {
  store::StoreLock lock;
  store::Store store;
  std::unique_ptr<serve::Machine> machine;
};

Result<Writing> open_to_write(const Command& command, std::string_view who) {
  auto lock = TRY(store::StoreLock::take(command.config.store, who, kLockWait));
  auto store = TRY(store::Store::open(command.config.store, store::Role::host, system_clock(), command.seam));
  auto machine = TRY(serve::Machine::open(command.config, command.program, command.seam));
  return Writing{std::move(lock), std::move(store), std::move(machine)};
}

struct Reading {
  store::Store store;
  std::unique_ptr<serve::Machine> machine;
};

Result<Reading> open_to_read(const Command& command) {
  auto store = TRY(store::Store::open_read_only(command.config.store));
  auto machine = TRY(serve::Machine::open(command.config, command.program, command.seam));
  return Reading{std::move(store), std::move(machine)};
}

}  // namespace

Result<Json> apply_file(const Command& command, const std::filesystem::path& push) {
  const auto body = TRY(read_document(push));
  auto writing = TRY(open_to_write(command, "berth-host apply"));
  apply::Applier applier(writing.store, writing.machine->site());
  TRY(applier.start());
  const auto answer = TRY(applier.take(body));
  TRY(applier.work());
  const auto row =
      TRY(Pushes(writing.store, command.config.machine).find(answer.at("push_id").get<std::string>()));
  if (row && !row->report.is_null()) return row->report;
  return answer;  // its confirmation is awaited: the daemon ends it
}

Result<Json> bootstrap_file(const Command& command, const std::filesystem::path& bundle) {
  const auto body = TRY(read_document(bundle));
  auto writing = TRY(open_to_write(command, "berth-host bootstrap"));
  apply::Applier applier(writing.store, writing.machine->site());
  TRY(applier.start());
  return applier.bootstrap(body);
}

Result<Json> give_back(const Command& command, const std::string& module) {
  auto writing = TRY(open_to_write(command, "berth-host give-back"));
  apply::Applier applier(writing.store, writing.machine->site());
  TRY(applier.start());
  return applier.give_back_module(module);
}

Result<Json> plan_file(const Command& command, const std::filesystem::path& push) {
  const auto body = TRY(read_document(push));
  auto reading = TRY(open_to_read(command));
  return apply::preview(body, reading.store, reading.machine->site());
}

Result<Json> read_machine(const Command& command) {
  auto reading = TRY(open_to_read(command));
  return serve::snapshot(reading.machine->site(), reading.store, TRY(apply::is_latched(reading.store)));
}

Result<Json> status(const Command& command) {
  auto reading = TRY(open_to_read(command));
  return serve::status_document(reading.machine->site(), reading.store, "");
}

Result<Json> keep_store(const Command& command, const std::string& act, const std::string& file) {
  const store::Cared cared{command.config.store, store::Role::host, "berth-host"};
  return store::take_care(cared, act, file, system_clock(), command.seam);
}

Status watch(const Command& command) {
  const auto units = resources::make_units(command.seam);
  const release::Places places{"", command.config.releases, command.config_file};
  return release::watch_release(
      {places, command.config.store, *units, system_clock(), command.seam, resources::pause_for});
}

}  // namespace berth::host
