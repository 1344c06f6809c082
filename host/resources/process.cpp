// A program of ours as a service: account, staged artifact, link to it, unit file, running.
#include <algorithm>

#include "base/fields.h"
#include "base/hash.h"
#include "host/resources/accounts.h"
#include "host/resources/declared.h"
#include "host/resources/placed_file.h"
#include "host/resources/process_unit.h"
#include "host/resources/types.h"
#include "host/resources/units.h"

namespace berth::host::resources::process {
namespace {

std::string unit_path(const Json& declared) { return "/etc/systemd/system/" + text_of(declared, "unit"); }

/// The unit's file as a resource of its own: found, written and given back like any other.
Json unit_file(const World& world, const Json& declared) {
  return {{"path", unit_path(declared)}, {"mode", "0644"}, {"owner", "root:root"},
          {"content", process_unit_text(declared, world.engine_unit)}};
}

/// What the last apply kept of it, as the file's own type keeps it.
Json unit_file_before(const Json& before) {
  return before.is_object() ? Json{{"sha256", before.value("unit_sha256", Json{})}} : Json{};
}

bool is_one_line(std::string_view text) { return text.find_first_of("\n\r") == std::string_view::npos && text.find('\0') == std::string_view::npos; }

void check_command(Fields& fields) {
  const auto command = fields.texts("command");
  if (command.empty() || !command[0].starts_with('/')) fields.refuse("command", "must begin with a program's absolute path");
  for (const auto& word : command) {
    if (!is_one_line(word)) fields.refuse("command", "holds a line break");
  }
}

void check_credentials(Fields& fields) {
  for (const auto& [name, file] : fields.object("credentials").items()) {
    const bool named = !name.empty() && name.find_first_of(":/ \n") == std::string::npos;
    const bool placed = file.is_string() && file.get<std::string>().starts_with('/') && is_one_line(file.get<std::string>()) &&
                        file.get<std::string>().find(':') == std::string::npos;
    if (!named || !placed) fields.refuse("credentials", "\"" + name + "\" must name an absolute path");
  }
}

void check_account(Fields& fields) {
  const auto account = fields.text("account");
  if (!account.empty() && !is_account_name(account)) fields.refuse("account", "\"" + account + "\" is not the name of an account");
  for (const auto& group : fields.texts("groups")) {
    if (!is_account_name(group)) fields.refuse("groups", "\"" + group + "\" is not the name of a group");
  }
}

/// Whether something was changed.
Result<bool> settle_account(World& world, const Json& declared) {
  const auto own = world.accounts == nullptr ? make_accounts(world.seam) : nullptr;
  auto& accounts = world.accounts == nullptr ? *own : *world.accounts;
  const auto account = text_of(declared, "account");
  bool changed = false;
  if (!TRY(accounts.exists(account))) {
    TRY(accounts.add_system(account));
    changed = true;
  }
  const auto in = TRY(accounts.groups_of(account));
  for (const auto& group : declared.value("groups", std::vector<std::string>{})) {
    if (std::ranges::find(in, group) != in.end()) continue;
    TRY(accounts.join(account, group));
    changed = true;
  }
  return changed;
}

Result<bool> settle_link(World& world, const Json& declared, std::string& folder) {
  if (!declared.contains("artifact")) return false;
  if (world.stager == nullptr) return fail(Errc::failed, "this program stages no artifacts");
  folder = TRY(world.stager->stage(declared["artifact"], text_of(declared, "version")));
  const auto link = text_of(declared, "link");
  if (TRY(read_placed_link(world.root, link)) == folder) return false;
  TRY(make_folders(world.root, link, world.seam));
  TRY(place_link(world.root, link, folder, world.seam));
  return true;
}

Status check_credentials_there(const World& world, const Json& declared) {
  const auto credentials = declared.value("credentials", Json::object());
  for (const auto& [name, file] : credentials.items()) {
    const auto there = TRY(read_placed(world.root, file.get<std::string>()));
    if (there.exists) continue;
    return fail(Errc::not_found, "the credential " + name + " of " + text_of(declared, "unit") + " is not there: " + file.get<std::string>());
  }
  return {};
}

/// Runs, with what was just put in place.
Result<bool> settle_running(World& world, const std::string& unit, bool anew) {
  const auto now = TRY(world.units.state(unit));
  if (!now.is_enabled()) TRY(world.units.enable(unit));
  if (now.active == "failed") TRY(world.units.reset_failed(unit));
  if (now.is_running() && !anew) return !now.is_enabled();
  TRY(now.is_running() ? world.units.restart(unit) : world.units.start(unit));
  return true;
}

}  // namespace

Status check(const Json& declared) {
  Fields fields{declared, "process"};
  read_common(fields);
  const auto unit = unit_field(fields, "unit");
  if (!unit.empty() && !unit.ends_with(".service")) fields.refuse("unit", "must end with .service");
  check_command(fields);
  check_account(fields);
  check_credentials(fields);
  fields.texts("restart_on_change_of");
  if (fields.has("artifact")) {
    fields.object("artifact");
    fields.text("version");
    path_field(fields, "link");
  } else {
    fields.text("version", "");
    fields.text("link", "");
  }
  return fields.finish();
}

Result<Json> read(World& world, const Json& declared) {
  const auto unit = TRY(world.units.state(text_of(declared, "unit")));
  const auto link = text_of(declared, "link");
  const auto unit_text = TRY(file::read(world, unit_file(world, declared)));
  Json found = {{"active", unit.is_running()}, {"enabled", unit.is_enabled()}, {"unit_file", unit_text}};
  if (!link.empty()) {
    found["link"] = TRY(read_placed_link(world.root, link));
    found["folders"] = missing_folders(world.root, link);
  }
  return found;
}

Result<Acted> apply(World& world, const Json& declared, const Json& found, const Json& before) {
  TRY(check_credentials_there(world, declared));
  std::string folder;
  bool changed = TRY(settle_account(world, declared));
  const bool moved = TRY(settle_link(world, declared, folder));
  const auto wrote = TRY(file::apply(world, unit_file(world, declared), nullptr, unit_file_before(before)));
  // What was put in place but not started when a crash came is not running yet: compared by what was recorded.
  const Json applied = {{"folder", folder}, {"unit_sha256", wrote.applied["sha256"]}};
  const bool anew = moved || wrote.changed || before != applied;
  const auto unit = text_of(declared, "unit");
  if (const auto state = TRY(world.units.state(unit)); state.stale || !state.exists()) TRY(world.units.daemon_reload());
  const bool started = TRY(settle_running(world, unit, anew));
  changed = changed || moved || wrote.changed || started;
  const auto* action = !changed ? "unchanged" : flag_of(found.at("unit_file"), "exists") || !before.is_null() ? "updated" : "created";
  return Acted{changed, applied, started ? unit + " runs " + (folder.empty() ? std::string{"its program"} : folder) : std::string{}, action};
}

/// The account and the staged release stay: files may belong to the one, another link may need the other.
Result<Acted> give_back(World& world, const Json& declared, const Json& found, const Json& before) {
  const auto unit = text_of(declared, "unit");
  const auto now = TRY(world.units.state(unit));
  if (now.exists() && now.is_running()) TRY(world.units.stop(unit));
  if (now.exists() && now.is_enabled() && !flag_of(found, "enabled")) TRY(world.units.disable(unit));
  auto acted = TRY(file::give_back(world, unit_file(world, declared), found.at("unit_file"), unit_file_before(before)));
  if (const auto link = text_of(declared, "link"); !link.empty() && declared.contains("artifact")) {
    TRY(place_link(world.root, link, text_of(found, "link"), world.seam));
    TRY(remove_folders(world.root, found.value("folders", std::vector<std::string>{}), world.seam));
  }
  if (flag_of(found, "active")) TRY(world.units.start(unit));
  acted.changed = acted.changed || now.is_running();
  acted.detail += (acted.detail.empty() ? "" : "; ") + std::string{"took away "} + unit + "; the account " + text_of(declared, "account") + " and the staged release stay";
  return acted;
}

std::string target(const Json& declared) { return text_of(declared, "unit"); }

}  // namespace berth::host::resources::process
