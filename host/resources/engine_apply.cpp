#include "host/resources/engine_apply.h"

#include <algorithm>
#include <filesystem>

#include "base/hash.h"
#include "host/resources/declared.h"
#include "host/resources/engine_confirm.h"
#include "host/resources/engine_flags.h"
#include "host/resources/engine_keys.h"
#include "host/resources/engine_undo.h"
#include "host/resources/placed_file.h"
#include "host/resources/units.h"

namespace berth::host::resources {
namespace {

std::string hash_of(const std::optional<std::string>& bytes) { return sha256_hex(bytes.value_or("")); }

Result<EngineFlags> flags_now(World& world) {
  const auto files = world.units.files(world.engine_unit);
  if (!files && files.error().code == Errc::not_found) return EngineFlags{};  // no engine here yet
  if (!files) return files.error();
  return read_engine_flags(*files, world.root);
}

Status check_flags(const World& world, const EngineFlags& flags, const std::vector<Declare>& declares) {
  if (const auto* other = flags.of_key("config-file"); other != nullptr && other->value != world.engine_file) {
    return fail(Errc::flag_conflict, "the engine reads " + other->value + ", as " + other->flag + " in " + other->file +
                                         " says, not " + world.engine_file);
  }
  Error error;
  for (const auto& declare : declares) {
    const auto into = declare.declared.value("into", Json::object());
    for (const auto& [key, value] : into.items()) {
      const auto* flag = flags.of_key(key);
      if (value.is_array() && value.empty()) continue;  // asks for nothing
      if (flag == nullptr || std::ranges::find(error.fields, key) != error.fields.end()) continue;
      error.fields.push_back(key);
      error.detail += (error.detail.empty() ? "" : "; ") + key + " is set by the flag " + flag->flag + " (" + flag->value +
                      ") in " + flag->file;
    }
  }
  if (error.fields.empty()) return {};
  error.code = Errc::flag_conflict;
  error.field = error.fields.front();
  error.detail += "; with the key in " + world.engine_file + " too the engine would not start, equal values included";
  return error;
}

/// A node of a swarm and live-restore: the engine takes the reload and dies at its next start.
Status check_swarm(const World& world, const EngineEdit& edit, const EngineFlags& flags, const Json& document) {
  if (edit.expect.live_restore != true) return {};
  const auto* flag = flags.of_key("data-root");
  const auto folder = flag != nullptr ? flag->value : document.value("data-root", std::string{"/var/lib/docker"});
  std::error_code ignored;
  if (!std::filesystem::exists(world.root + folder + "/swarm/docker-state.json", ignored)) return {};
  return fail_field(Errc::conflict, "live-restore",
                    "the machine is in a swarm; with live-restore the engine would not start again");
}

void fill_folders(const World& world, EngineEdit& edit, const std::vector<Declare>& declares, const std::string& target) {
  for (const auto& declare : declares) {
    const bool is_new = !declare.found.is_object() || declare.found.empty();
    if (is_new && !edit.before) edit.found[declare.id]["folders"] = missing_folders(world.root, target);
  }
}

/// Which keys wait for the engine's next start, kept in the records until it came.
void fill_waiting(const World& world, EngineEdit& edit, const std::vector<Declare>& declares, const UnitState& unit) {
  const auto now = std::chrono::duration_cast<std::chrono::microseconds>(world.clock.now().time_since_epoch()).count();
  Json waiting = Json::object();
  for (const auto& declare : declares) {
    const auto before = declare.applied.is_object() ? declare.applied.value("waiting", Json::object()) : Json::object();
    for (const auto& [key, since] : before.items()) {
      if (since.get<std::int64_t>() > unit.started_us) waiting[key] = since;
    }
  }
  for (const auto& key : edit.waiting) waiting[key] = now;
  if (!unit.is_running()) waiting = Json::object();
  edit.waiting.clear();
  for (const auto& [key, since] : waiting.items()) edit.waiting.push_back(key);
  for (auto& [id, applied] : edit.applied) applied["waiting"] = waiting;
}

/// "dns, log-opts: taken at the engine's next start, which would stop web and db".
std::string waiting_text(World& world, const std::vector<std::string>& keys) {
  if (keys.empty()) return {};
  std::string text;
  for (const auto& key : keys) text += (text.empty() ? "" : ", ") + key;
  text += ": waiting for the engine's next start, which ";
  const auto view = world.path != nullptr ? world.path->engine() : Result<path::EngineView>{fail(Errc::engine_unreachable, "")};
  if (view && view->live_restore) return text + "keeps the containers running (live-restore)";
  const auto containers = view ? world.path->list() : Result<std::vector<path::Seen>>{fail(Errc::engine_unreachable, "")};
  if (!containers) return text + "may stop containers";
  std::string names;
  for (const auto& one : *containers) {
    if (path::is_up(one.state)) names += (names.empty() ? "" : ", ") + one.name;
  }
  return text + (names.empty() ? "stops no container" : "would stop " + names);
}

Result<std::optional<std::string>> bytes_now(const World& world) {
  auto now = TRY(read_placed(world.root, world.engine_file));
  return now.exists ? std::optional{std::move(now.bytes)} : std::nullopt;
}

/// Leaves the file as it was, and tells so after the cause.
Error put_back_after(World& world, const EngineUndo& undo, Error cause) {
  const auto now = bytes_now(world);
  const bool written = !now || *now != undo.before;
  const auto done = written ? put_engine_file_back(world, undo) : drop_undo(world);
  if (!done) cause.detail += "; the file was to be put back as it was: " + done.error().detail;
  else cause.detail += written ? "; the file is put back and the engine holds what it held" : "; the file is as it was";
  return cause;
}

/// Between planning and writing the file belongs to nobody: what another wrote then is not overwritten.
Status check_unchanged(const World& world, const EngineEdit& edit) {
  if (TRY(bytes_now(world)) == edit.before) return {};
  return fail(Errc::drift, world.engine_file + " was changed by somebody else while it was being edited");
}

Status write_and_confirm(World& world, const EngineEdit& edit, bool reload) {
  TRY(write_engine_file(world, edit.reload_with));
  if (reload) TRY(reload_and_confirm(world, edit.expect));
  TRY(write_engine_file(world, edit.final));
  if (!edit.final) TRY(remove_folders(world.root, edit.made_folders, world.seam));
  return {};
}

Result<EngineOutcome> make_while_stopped(World& world, const EngineEdit& edit) {
  EngineOutcome outcome;
  outcome.changed = edit.before != edit.final;
  if (outcome.changed) {
    TRY(write_engine_file(world, edit.final));
    if (!edit.final) TRY(remove_folders(world.root, edit.made_folders, world.seam));
    outcome.detail = "the engine does not run: it takes the file at its start";
  }
  return outcome;
}

}  // namespace

bool is_of_engine_file(const World& world, const Json& declared) {
  if (text_of(declared, "type") != "json") return false;
  const std::filesystem::path path = text_of(declared, "path");
  if (path.lexically_normal() == std::filesystem::path{world.engine_file}.lexically_normal()) return true;
  std::error_code ignored;
  return std::filesystem::equivalent(world.root + path.native(), world.root + world.engine_file, ignored);
}

Status recover_engine_file(World& world) {
  const auto undo = TRY(read_undo(world));
  if (!undo) {
    TRY(drop_unplaced(world.root, world.engine_file));
    return drop_undo(world);
  }
  const auto bytes = TRY(bytes_now(world));
  const bool as_before = bytes == undo->before;
  const bool ours = std::ranges::find(undo->written, hash_of(bytes)) != undo->written.end();
  if (!as_before && !ours) return drop_undo(world);  // somebody wrote it since: theirs stays
  return put_engine_file_back(world, *undo);
}

Result<EngineEdit> prepare_engine_edit(World& world, const std::vector<GiveBack>& give_backs,
                                       const std::vector<Declare>& declares) {
  if (auto done = recover_engine_file(world); !done) return std::move(done).error().while_doing("undo an interrupted edit");
  const auto now = TRY(read_placed(world.root, world.engine_file));
  const auto bytes = now.exists ? std::optional{now.bytes} : std::nullopt;
  auto edit = TRY(plan_engine_edit(bytes, give_backs, declares, world.engine_file));
  const auto flags = TRY(flags_now(world));
  TRY(check_flags(world, flags, declares));
  const auto document = edit.final ? Json::parse(*edit.final, nullptr, false) : Json::object();
  if (!declares.empty() && document.is_object()) {
    TRY(check_engine_document(document, world.engine_file));
    TRY(check_swarm(world, edit, flags, document));
  }
  fill_folders(world, edit, declares, now.target);
  fill_waiting(world, edit, declares, TRY(world.units.state(world.engine_unit)));
  return edit;
}

Result<EngineOutcome> make_engine_edit(World& world, const EngineEdit& edit) {
  TRY(check_unchanged(world, edit));
  const auto unit = TRY(world.units.state(world.engine_unit));
  if (!unit.is_running()) return make_while_stopped(world, edit);
  EngineOutcome outcome;
  if (!edit.changes() && edit.expect.empty()) {
    outcome.detail = waiting_text(world, edit.waiting);
    return outcome;
  }
  if (world.path == nullptr) return fail(Errc::engine_unreachable, "nothing reaches the engine: no edit could be confirmed");
  const auto view = TRY(world.path->engine());
  outcome.reloaded = edit.before != edit.reload_with || !keys_not_taken(edit.expect, view).empty();
  outcome.changed = outcome.reloaded || edit.changes();
  if (outcome.changed) {
    const auto now = TRY(read_placed(world.root, world.engine_file));
    const EngineUndo undo{edit.before, {hash_of(edit.reload_with), hash_of(edit.final)}, view, edit.expect,
                          missing_folders(world.root, now.target)};
    TRY(write_undo(world, undo));
    auto done = write_and_confirm(world, edit, outcome.reloaded);
    if (done) done = drop_undo(world);
    if (!done) return put_back_after(world, undo, std::move(done).error());
  }
  outcome.detail = waiting_text(world, edit.waiting);
  return outcome;
}

}  // namespace berth::host::resources
