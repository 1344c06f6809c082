#include "host/resources/engine_undo.h"

#include "base/fields.h"
#include "base/file.h"
#include "base/hash.h"
#include "host/resources/declared.h"
#include "host/resources/engine_confirm.h"
#include "host/resources/json_text.h"
#include "host/resources/placed_file.h"
#include "host/resources/units.h"

namespace berth::host::resources {
namespace {

constexpr const char* kUndoFile = "/var/lib/berth/engine-file.undo";

Json bytes_or_null(const std::optional<std::string>& bytes) { return bytes ? document_of_bytes(*bytes) : Json{}; }

Json document_of(const EngineUndo& undo) {
  Json document = {{"before", bytes_or_null(undo.before)}, {"written", undo.written}, {"folders", undo.folders},
                   {"live_restore", undo.touched.live_restore.has_value()},
                   {"registries", undo.touched.registries}, {"registries_gone", undo.touched.registries_gone}};
  if (undo.view) {
    document["view"] = {{"live_restore", undo.view->live_restore}, {"insecure_registries", undo.view->insecure_registries}};
  }
  return document;
}

Result<EngineUndo> undo_of(const Json& document) {
  EngineUndo undo;
  Fields f{document, kUndoFile};
  if (f.has("before")) undo.before = TRY(bytes_of_document(f.object("before")));
  undo.written = f.texts("written");
  undo.folders = f.texts("folders");
  if (f.boolean("live_restore", false)) undo.touched.live_restore = true;
  undo.touched.registries = f.texts("registries");
  undo.touched.registries_gone = f.texts("registries_gone");
  if (f.has("view")) {
    Fields view{f.object("view"), std::string{kUndoFile} + ".view"};
    undo.view = path::EngineView{};
    undo.view->live_restore = view.boolean("live_restore", false);
    undo.view->insecure_registries = view.texts("insecure_registries");
    TRY(view.finish());
  }
  TRY(f.finish());
  return undo;
}

/// What the engine must say again: of the keys that the edit was about, what it said before.
EngineExpectation as_it_was(const EngineUndo& undo) {
  EngineExpectation expect;
  if (undo.touched.live_restore) expect.live_restore = undo.view->live_restore;
  auto touched = undo.touched.registries;
  touched.insert(touched.end(), undo.touched.registries_gone.begin(), undo.touched.registries_gone.end());
  for (const auto& registry : touched) {
    EngineExpectation one;
    one.registries = {registry};
    const bool held = keys_not_taken(one, *undo.view).empty();
    (held ? expect.registries : expect.registries_gone).push_back(registry);
  }
  return expect;
}

/// The old bytes, with the members spelled out that they leave to what the engine holds: removing a key and
/// reloading would not un-take it.
Result<std::string> spelled_out(const EngineUndo& undo) {
  auto text = undo.before ? TRY(JsonText::parse(*undo.before, "the engine's file")) : JsonText::empty();
  if (undo.touched.live_restore && text.find("live-restore") == nullptr) {
    text = TRY(text.with("live-restore", undo.view->live_restore ? "true" : "false"));
  }
  const bool registries = !undo.touched.registries.empty() || !undo.touched.registries_gone.empty();
  if (registries && text.find("insecure-registries") == nullptr) {
    text = TRY(text.with("insecure-registries", inline_text(undo.view->insecure_registries)));
  }
  return text.bytes();
}

Status reload_as_it_was(World& world, EngineUndo& undo) {
  const auto bytes = TRY(spelled_out(undo));
  undo.written.push_back(sha256_hex(bytes));
  TRY(write_undo(world, undo));
  TRY(write_engine_file(world, bytes));
  return reload_and_confirm(world, as_it_was(undo));
}

}  // namespace

Result<std::optional<EngineUndo>> read_undo(const World& world) {
  const auto text = read_file(world.root + kUndoFile);
  if (!text && text.error().code == Errc::not_found) return std::optional<EngineUndo>{};
  if (!text) return text.error();
  const auto document = TRY(parse_json(*text, kUndoFile));
  return std::optional{TRY(undo_of(document))};
}

Status write_undo(World& world, const EngineUndo& undo) {
  TRY(make_folders(world.root, kUndoFile, world.seam));
  return write_file(world.root + kUndoFile, document_of(undo).dump(), 0600, world.seam);
}

Status drop_undo(World& world) {
  if (!read_file(world.root + kUndoFile)) {
    drop_unfinished(world.root + kUndoFile);
    return {};
  }
  return remove_file(world.root + kUndoFile, world.seam);
}

Status write_engine_file(World& world, const std::optional<std::string>& bytes) {
  const auto now = TRY(read_placed(world.root, world.engine_file));
  if (!bytes) return unplace_file(world.root, world.engine_file, world.seam);
  if (now.exists && now.bytes == *bytes) return drop_unplaced(world.root, world.engine_file);
  TRY(make_folders(world.root, now.target, world.seam));
  return place_file(world.root, world.engine_file, *bytes, {}, world.seam);
}

Status put_engine_file_back(World& world, EngineUndo undo) {
  const bool runs = undo.view && TRY(world.units.state(world.engine_unit)).is_running();
  const auto confirmed = runs ? reload_as_it_was(world, undo) : Status{};
  TRY(write_engine_file(world, undo.before));
  if (!undo.before) TRY(remove_folders(world.root, undo.folders, world.seam));
  TRY(drop_undo(world));
  return confirmed;
}

}  // namespace berth::host::resources
