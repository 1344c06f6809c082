#include "tests/sim/sim_engine.h"

#include "tests/sim/sim_machine.h"

namespace berth::test {
namespace {

constexpr auto kHolderUnit = "berth-holder.service";
constexpr auto kUnitFolder = "/etc/systemd/system";

}  // namespace

Status SimSeam::before(std::string_view, std::string_view) {
  ++acts;
  if (die_at > 0 && --die_at == 0) throw Died{};
  return {};
}

Status SimPath::reach() {
  ++machine_.engine_calls;
  if (machine_.engine_down_at > 0 && --machine_.engine_down_at == 0) machine_.engine_down_for = 3;
  if (machine_.engine_down_for > 0) {
    --machine_.engine_down_for;
    return fail(Errc::engine_unreachable, "connect /run/docker.sock: connection refused");
  }
  if (kind_ == host::path::Kind::holder && !machine_.holder_up())
    return fail(Errc::holder_silent, "the holder does not answer");
  return {};
}

Result<std::vector<host::path::Seen>> SimPath::list() {
  TRY(reach());
  const std::scoped_lock lock{machine_.engine_lock};
  return machine_.engine->list();
}
Result<Json> SimPath::inspect(const std::string& container) {
  TRY(reach());
  const std::scoped_lock lock{machine_.engine_lock};
  return machine_.engine->inspect(container);
}
Result<std::vector<std::string>> SimPath::differences(const std::string& id,
                                                      const holder::client::ContainerSpec& spec) {
  TRY(reach());
  const std::scoped_lock lock{machine_.engine_lock};
  return machine_.engine->differences(id, spec);
}
Result<std::string> SimPath::create(const holder::client::ContainerSpec& spec) {
  TRY(reach());
  const std::scoped_lock lock{machine_.engine_lock};
  auto id = machine_.engine->create(spec);
  if (id) machine_.emit("created", machine_.engine->containers.back());
  return id;
}
Status SimPath::start(const std::string& id) {
  TRY(reach());
  const std::scoped_lock lock{machine_.engine_lock};
  return machine_.engine->start(id);
}
Status SimPath::stop(const std::string& id, std::chrono::seconds grace) {
  TRY(reach());
  const std::scoped_lock lock{machine_.engine_lock};
  return machine_.engine->stop(id, grace);
}
Status SimPath::remove(const std::string& id) {
  TRY(reach());
  const std::scoped_lock lock{machine_.engine_lock};
  host::path::Seen gone;
  for (const auto& one : machine_.engine->containers) {
    if (one.id == id) gone = one;
  }
  auto removed = machine_.engine->remove(id);
  if (removed) machine_.emit("removed", gone);
  return removed;
}
Status SimPath::signal(const std::string& id, std::string_view signal) {
  TRY(reach());
  const std::scoped_lock lock{machine_.engine_lock};
  for (const auto& one : machine_.engine->containers) {
    if (one.name == id) return machine_.engine->signal(one.id, signal);  // a container goes by its name too
  }
  return machine_.engine->signal(id, signal);
}
Result<host::path::EngineView> SimPath::engine() {
  TRY(reach());
  const std::scoped_lock lock{machine_.engine_lock};
  return machine_.engine->engine();
}
Result<bool> SimPath::reloaded_since(Time since) {
  TRY(reach());
  const std::scoped_lock lock{machine_.engine_lock};
  return machine_.engine->reloaded_since(since);
}

std::unique_ptr<host::path::Path> sim_cli(Seam& seam) {
  return std::make_unique<SimPath>(static_cast<SimSeam&>(seam).machine(), host::path::Kind::cli);
}
std::unique_ptr<host::path::Path> sim_holder(const std::string&, Seam& seam) {
  return std::make_unique<SimPath>(static_cast<SimSeam&>(seam).machine(), host::path::Kind::holder);
}

/// A unit whose file is there is loaded when it is first asked for, as systemd does.
void SimUnits::load(const std::string& unit) {
  auto& table = machine_.unit_table;
  if (!table.units.contains(unit) && std::filesystem::exists(machine_.root + kUnitFolder + "/" + unit))
    table.add(unit);
}

Result<host::resources::UnitState> SimUnits::state(const std::string& unit) {
  const std::scoped_lock lock{machine_.engine_lock};
  load(unit);
  return machine_.unit_table.state(unit);
}

Status SimUnits::act(const std::string& unit, const std::string& verb, bool up) {
  TRY(machine_.seam.before("unit." + verb, unit));
  if (unit == host::release::kHostUnit) {
    up ? machine_.host_starts() : machine_.host_stops();
    return {};
  }
  {
    const std::scoped_lock lock{machine_.engine_lock};
    load(unit);
    TRY(up ? machine_.unit_table.start(unit) : machine_.unit_table.stop(unit));
  }
  if (unit == kHolderUnit) machine_.holder_up_ = up;
  if (unit == host::release::kWatchUnit && up) machine_.watch_starts();
  return {};
}

Status SimUnits::reload(const std::string& unit) {
  TRY(machine_.seam.before("unit.reload", unit));
  const std::scoped_lock lock{machine_.engine_lock};
  TRY(machine_.unit_table.reload(unit));
  if (unit == "docker.service") machine_.engine->reload();
  return {};
}
Status SimUnits::enable(const std::string& unit) {
  TRY(machine_.seam.before("unit.enable", unit));
  const std::scoped_lock lock{machine_.engine_lock};
  load(unit);
  return machine_.unit_table.enable(unit);
}
Status SimUnits::disable(const std::string& unit) {
  TRY(machine_.seam.before("unit.disable", unit));
  const std::scoped_lock lock{machine_.engine_lock};
  return machine_.unit_table.disable(unit);
}
Status SimUnits::mask(const std::string& unit) {
  TRY(machine_.seam.before("unit.mask", unit));
  const std::scoped_lock lock{machine_.engine_lock};
  return machine_.unit_table.mask(unit);
}
Status SimUnits::unmask(const std::string& unit) {
  TRY(machine_.seam.before("unit.unmask", unit));
  const std::scoped_lock lock{machine_.engine_lock};
  return machine_.unit_table.unmask(unit);
}
Status SimUnits::reset_failed(const std::string& unit) {
  TRY(machine_.seam.before("unit.reset_failed", unit));
  return {};
}

/// What lies in the folder is loaded, what is gone from it is not.
Status SimUnits::daemon_reload() {
  TRY(machine_.seam.before("unit.daemon_reload", "systemd"));
  const std::scoped_lock lock{machine_.engine_lock};
  auto& table = machine_.unit_table;
  for (const std::string unit : {kHolderUnit, "docker-prune.timer", host::release::kWatchUnit}) {
    const bool there = std::filesystem::exists(machine_.root + kUnitFolder + "/" + unit);
    if (there && !table.units.contains(unit)) table.add(unit);
    if (!there && table.units.erase(unit) > 0 && unit == kHolderUnit) machine_.holder_up_ = false;
  }
  return {};
}
Result<std::vector<host::resources::UnitFile>> SimUnits::files(const std::string& unit) {
  const std::scoped_lock lock{machine_.engine_lock};
  return machine_.unit_table.files(unit);
}

}  // namespace berth::test
