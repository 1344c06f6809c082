#include "base/fields.h"
#include "host/resources/declared.h"
#include "host/resources/types.h"
#include "host/resources/units.h"

namespace berth::host::resources::service {
namespace {

constexpr std::string_view kCannotEnable[] = {"static", "indirect", "generated", "transient", "alias"};

void check_on_change(Fields& fields) {
  if (!fields.has("on_change")) return;
  Fields change{fields.object("on_change"), fields.path_of("on_change")};
  change.texts("of");
  change.one_of("do", {"reload", "restart"}, "");
  if (auto done = change.finish(); !done) fields.refuse("on_change", done.error().detail);
}

bool cannot_be_enabled(const UnitState& state) {
  for (const auto word : kCannotEnable) {
    if (state.file == word) return true;
  }
  return false;
}

Status set_enabled(World& world, const std::string& unit, const UnitState& now, bool wanted, Acted& acted) {
  if (now.is_enabled() == wanted) return {};
  if (cannot_be_enabled(now)) {
    if (!wanted) return {};  // it starts by no link of its own
    return fail(Errc::conflict, unit + " cannot be enabled: its unit file is " + now.file);
  }
  TRY(wanted ? world.units.enable(unit) : world.units.disable(unit));
  acted.changed = true;
  acted.detail += acted.detail.empty() ? "" : ", ";
  acted.detail += wanted ? "enabled" : "disabled";
  return {};
}

Status set_running(World& world, const std::string& unit, const UnitState& now, bool wanted, Acted& acted) {
  if (now.is_running() == wanted) return {};
  if (wanted && now.active == "failed") TRY(world.units.reset_failed(unit));  // past its start limit every start is refused
  TRY(wanted ? world.units.start(unit) : world.units.stop(unit));
  acted.changed = true;
  acted.detail += acted.detail.empty() ? "" : ", ";
  acted.detail += wanted ? "started" : "stopped";
  return {};
}

void say(Acted& acted, const std::string& what) {
  acted.changed = true;
  acted.detail += (acted.detail.empty() ? "" : ", ") + what;
}

/// The unit as it is without its mask.
Result<UnitState> unmasked(World& world, const std::string& unit, const UnitState& now, Acted& acted) {
  if (!now.is_masked()) return now;
  TRY(world.units.unmask(unit));
  say(acted, "unmasked");
  return world.units.state(unit);
}

Result<Acted> mask(World& world, const std::string& unit, const UnitState& now) {
  Acted acted;
  acted.applied = {{"masked", true}};
  if (now.exists()) TRY(set_running(world, unit, now, false, acted));
  if (!now.is_masked()) {
    TRY(world.units.mask(unit));
    say(acted, "masked");
  }
  if (acted.changed) acted.action = "updated";
  return acted;
}

/// Why the engine's own unit must not be stopped now: it holds containers, or cannot say that it does not.
std::string reason_to_leave_running(World& world, const std::string& unit) {
  if (unit != world.engine_unit) return {};
  if (world.path == nullptr) return "whether containers run is unknown";
  const auto containers = world.path->list();
  if (!containers) return "whether containers run is unknown: " + containers.error().detail;
  for (const auto& one : *containers) {
    if (path::is_up(one.state)) return "containers run, " + one.name + " among them";
  }
  return {};
}

}  // namespace

Status check(const Json& declared) {
  Fields fields{declared, "service"};
  read_common(fields);
  unit_field(fields, "unit");
  fields.boolean("running", false);
  fields.boolean("enabled", false);
  const bool masked = fields.boolean("masked", false);
  if (masked && (flag_of(declared, "running") || flag_of(declared, "enabled")))
    fields.refuse("masked", "a masked unit neither runs nor is enabled");
  check_on_change(fields);
  return fields.finish();
}

Result<Json> read(World& world, const Json& declared) {
  const auto now = TRY(world.units.state(text_of(declared, "unit")));
  Json found = {{"exists", now.exists()}, {"active", now.is_running()}, {"enabled", now.is_enabled()}};
  if (now.is_masked()) found["masked"] = true;
  return found;
}

Result<Acted> apply(World& world, const Json& declared, const Json&, const Json&) {
  const auto unit = text_of(declared, "unit");
  auto now = TRY(world.units.state(unit));
  if (now.stale) {
    TRY(world.units.daemon_reload());
    now = TRY(world.units.state(unit));
  }
  if (flag_of(declared, "masked")) return mask(world, unit, now);
  Acted acted;
  if (declared.contains("masked")) now = TRY(unmasked(world, unit, now, acted));
  const bool running = flag_of(declared, "running", now.is_running());
  const bool enabled = flag_of(declared, "enabled", now.is_enabled());
  acted.applied = {{"running", running}, {"enabled", enabled}};
  if (!now.exists() && !running && !enabled) return acted;
  if (!now.exists()) {  // its file may be there, and systemd not told of it
    TRY(world.units.daemon_reload());
    now = TRY(world.units.state(unit));
  }
  if (!now.exists()) return fail(Errc::not_found, "there is no unit " + unit + " on this machine");
  if (now.is_masked() && (running || enabled)) return fail(Errc::conflict, unit + " is masked");
  TRY(set_enabled(world, unit, now, enabled, acted));
  TRY(set_running(world, unit, now, running, acted));
  if (acted.changed) acted.action = "updated";
  return acted;
}

Result<Acted> give_back(World& world, const Json& declared, const Json& found, const Json&) {
  const auto unit = text_of(declared, "unit");
  auto now = TRY(world.units.state(unit));
  Acted acted;
  acted.action = "given_back";
  if (!now.exists()) return acted;
  if (flag_of(declared, "masked") && !flag_of(found, "masked")) now = TRY(unmasked(world, unit, now, acted));
  // What the declaration did not speak of was never ours.
  if (declared.contains("enabled")) TRY(set_enabled(world, unit, now, flag_of(found, "enabled"), acted));
  const bool had_running = declared.contains("running") || flag_of(declared, "masked");
  const bool running = had_running && now.exists() ? flag_of(found, "active") : now.is_running();
  const auto reason = running || !now.is_running() ? std::string{} : reason_to_leave_running(world, unit);
  if (reason.empty()) TRY(set_running(world, unit, now, running, acted));
  else acted.detail += (acted.detail.empty() ? "" : ", ") + unit + " was found stopped, but is left running: " + reason;
  if (declared.contains("masked") && !flag_of(declared, "masked") && flag_of(found, "masked") && !now.is_masked()) {
    TRY(world.units.mask(unit));
    say(acted, "masked again");
  }
  return acted;
}

std::string target(const Json& declared) { return text_of(declared, "unit"); }

}  // namespace berth::host::resources::service
