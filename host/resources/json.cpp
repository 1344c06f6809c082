// Members of a JSON file that others write too. One record alone goes through here, of the engine's file as
// well; what an apply gives back and declares together in the engine's file goes through engine_apply.h at once.
#include "base/fields.h"
#include "host/resources/declared.h"
#include "host/resources/engine_apply.h"
#include "host/resources/placed_file.h"
#include "host/resources/types.h"

namespace berth::host::resources::json {
namespace {

constexpr const char* kSelf = "this";  // one record is planned: its id means nothing here

Result<EngineEdit> planned(World& world, const Json& declared, const std::vector<GiveBack>& give_backs,
                           const std::vector<Declare>& declares) {
  if (is_of_engine_file(world, declared)) return prepare_engine_edit(world, give_backs, declares);
  const auto path = text_of(declared, "path");
  const auto now = TRY(read_placed(world.root, path));
  const auto bytes = now.exists ? std::optional{now.bytes} : std::nullopt;
  auto edit = TRY(plan_engine_edit(bytes, give_backs, declares, path, false));
  if (!now.exists) {
    for (auto& [id, found] : edit.found) {
      if (found["folders"].empty()) found["folders"] = missing_folders(world.root, now.target);
    }
  }
  return edit;
}

Result<EngineOutcome> made(World& world, const Json& declared, const EngineEdit& edit) {
  if (is_of_engine_file(world, declared)) return make_engine_edit(world, edit);
  const auto path = text_of(declared, "path");
  const EngineOutcome outcome{edit.changes(), false, {}};
  if (!outcome.changed) {
    TRY(drop_unplaced(world.root, path));
    return outcome;
  }
  if (!edit.final) {
    TRY(unplace_file(world.root, path, world.seam));
    TRY(remove_folders(world.root, edit.made_folders, world.seam));
    return outcome;
  }
  TRY(make_folders(world.root, TRY(read_placed(world.root, path)).target, world.seam));
  TRY(place_file(world.root, path, *edit.final, {}, world.seam));
  return outcome;
}

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + "; " + second;
}

}  // namespace

Status check(const Json& declared) {
  Fields fields{declared, "json"};
  read_common(fields);
  path_field(fields, "path");
  if (!fields.has("into")) fields.refuse("into", "is missing");
  const auto& into = fields.object("into");
  for (const auto& [key, value] : into.items()) {
    if (value.is_null()) fields.refuse("into", key + " has no value");
  }
  return fields.finish();
}

Result<Json> read(World& world, const Json& declared) {
  auto edit = TRY(planned(world, declared, {}, {{kSelf, declared, nullptr, nullptr}}));
  return std::move(edit.found.at(kSelf));
}

Result<Json> widen(World& world, const Json& declared, const Json& found) {
  auto edit = TRY(planned(world, declared, {}, {{kSelf, declared, found, nullptr}}));
  return std::move(edit.found.at(kSelf));
}

Result<Acted> apply(World& world, const Json& declared, const Json& found, const Json& before) {
  const auto edit = TRY(planned(world, declared, {}, {{kSelf, declared, found, before}}));
  const auto outcome = TRY(made(world, declared, edit));
  const auto* detail = edit.detail.contains(kSelf) ? &edit.detail.at(kSelf) : nullptr;
  return Acted{outcome.changed, edit.applied.at(kSelf), joined(detail != nullptr ? *detail : "", outcome.detail),
               outcome.changed ? (edit.before ? "updated" : "created") : "unchanged"};
}

Result<Acted> give_back(World& world, const Json& declared, const Json& found, const Json& before) {
  const auto edit = TRY(planned(world, declared, {{kSelf, declared, found, before, true}}, {}));
  const auto outcome = TRY(made(world, declared, edit));
  const auto* detail = edit.detail.contains(kSelf) ? &edit.detail.at(kSelf) : nullptr;
  return Acted{outcome.changed, nullptr, joined(detail != nullptr ? *detail : "", outcome.detail), "given_back"};
}

std::string target(const Json& declared) { return text_of(declared, "path"); }

}  // namespace berth::host::resources::json
