// A container of this machine, known by the id its record holds; made and removed by the path alone.
#include "host/resources/container.h"

#include <algorithm>
#include <array>

#include "base/fields.h"
#include "holder/client/spec.h"
#include "host/resources/declared.h"
#include "host/resources/engine_mount.h"
#include "host/resources/types.h"

namespace berth::host::resources::container {
namespace {

using holder::client::Asker;
using holder::client::ContainerSpec;

constexpr std::chrono::seconds kGrace{10};  // the engine's own, where the spec says nothing

Result<ContainerSpec> spec_of(const Json& declared) {
  auto spec = TRY(holder::client::parse_spec(declared.at("spec"), Asker::host));
  if (!spec.assignment.empty()) return spec;
  return fail_field(Errc::bad_request, "spec.assignment", "the container " + spec.name + " names no assignment to be held by");
}

Result<path::Path*> way(World& world) {
  if (world.path != nullptr) return world.path;
  return fail(Errc::engine_unreachable, "nothing reaches the runtime of this machine");
}

std::optional<path::Seen> find(const std::vector<path::Seen>& all, std::string path::Seen::* what, const std::string& text) {
  const auto at = std::ranges::find(all, text, what);
  return at == all.end() || text.empty() ? std::nullopt : std::optional{*at};
}

bool is_up(const path::Seen& seen) { return path::is_up(seen.state); }

/// The container that is ours: the recorded one, or one of our name and assignment (made just before a crash,
/// or by the host that kept the records before us). Another's of that name is never touched.
Result<std::optional<path::Seen>> find_ours(const std::vector<path::Seen>& all, const ContainerSpec& spec, const Json& before) {
  if (auto recorded = find(all, &path::Seen::id, text_of(before, "id"))) return recorded;
  auto named = find(all, &path::Seen::name, spec.name);
  if (!named || named->assignment == spec.assignment) return named;
  auto error = fail(Errc::conflict, "the name " + spec.name + " belongs to another container, " +
                                        (named->assignment.empty() ? "a stray" : "held by " + named->assignment) + "; it is not touched");
  error.assignment = named->assignment;
  return error;
}

bool joins_another(const ContainerSpec& spec) {
  return std::ranges::any_of(std::array{&spec.network_mode, &spec.pid, &spec.ipc},
                             [](const std::string* mode) { return mode->starts_with("container:"); });
}

/// What differs from the declaration: of the recorded one by the hash it was made of, of one that no record
/// describes by the members it has. Empty: it is as declared.
Result<std::string> difference_of(path::Path& path, const path::Seen& ours, const ContainerSpec& spec, const Json& before) {
  if (ours.id == text_of(before, "id")) {
    return std::string{text_of(before, "hash") == spec_hash(spec) ? "" : "its declaration changed"};
  }
  std::string members;
  for (const auto& member : TRY(path.differences(ours.id, spec))) members += (members.empty() ? "" : ", ") + member;
  return members.empty() ? members : "it is another by " + members;
}

Acted acted_on(const std::string& id, const ContainerSpec& spec, std::string_view action, std::string detail) {
  return Acted{action != "unchanged" && action != "adopted", Json{{"id", id}, {"hash", spec_hash(spec)}}, std::move(detail), action};
}

Result<Acted> make(path::Path& path, const ContainerSpec& spec, std::string_view action, const std::string& why) {
  const auto id = TRY(path.create(spec));
  return acted_on(id, spec, action, why + spec.name);
}

/// In one call: the old one goes only when the new one runs.
Result<Acted> replace(World& world, const path::Seen& old, const ContainerSpec& spec, const std::string& why) {
  if (world.keeps_containers) {
    return fail(Errc::conflict, "the container " + spec.name + " would be replaced (" + why + "), and this push replaces none");
  }
  auto next = spec;
  next.replaces = old.id;
  const auto id = TRY(TRY(way(world))->create(next));
  return acted_on(id, spec, "updated", why + ": made anew " + spec.name);
}

}  // namespace

Status check(const Json& declared) {
  Fields fields{declared, "container"};
  read_common(fields);
  const auto& spec = fields.object("spec");
  if (fields.has("on_change")) {
    Fields change{fields.object("on_change"), fields.path_of("on_change")};
    change.texts("of");
    change.one_of("do", {"signal"}, "");
    change.one_of("signal", {"HUP", "USR1", "USR2"}, "");
    if (auto done = change.finish(); !done) fields.refuse("on_change", done.error().detail);
  }
  TRY(fields.finish());
  auto parsed = holder::client::parse_spec(spec, Asker::host);
  if (!parsed) return std::move(parsed).error().while_doing("container.spec");
  if (parsed->name.empty()) return fail_field(Errc::bad_request, "container.spec.name", "container.spec.name is missing");
  return {};
}

/// Nothing of a container is given back but its being there: whether one of ours was.
Result<Json> read(World& world, const Json& declared) {
  const auto spec = TRY(spec_of(declared));
  const auto all = TRY(TRY(way(world))->list());
  const auto named = find(all, &path::Seen::name, spec.name);
  if (!named || named->assignment != spec.assignment) return Json::object();
  return Json{{"id", named->id}};
}

bool is_only_made(const std::vector<path::Seen>& there, const Json& declared, const Json& before) {
  const auto spec = spec_of(declared);
  if (!spec || joins_another(*spec)) return false;
  return !find(there, &path::Seen::id, text_of(before, "id")) && !find(there, &path::Seen::name, spec->name);
}

std::vector<std::string> surroundings(const Json& declared) {
  std::vector<std::string> names;
  const auto spec = spec_of(declared);
  if (!spec) return names;
  for (const auto& join : spec->networks) names.push_back("network " + join.name);
  for (const auto& mount : spec->volumes) {
    if (mount.type == "volume" && !mount.source.empty()) names.push_back("volume " + mount.source);
  }
  return names;
}

bool stays(const std::vector<path::Seen>& there, const Json& declared, const Json& before) {
  const auto spec = spec_of(declared);
  const auto recorded = find(there, &path::Seen::id, text_of(before, "id"));
  return spec && recorded && text_of(before, "hash") == spec_hash(*spec) && (!spec->start || is_up(*recorded));
}

Result<Acted> apply(World& world, const Json& declared, const Json&, const Json& before) {
  const auto spec = TRY(spec_of(declared));
  auto& path = *TRY(way(world));
  TRY(check_engine_mounts(world, path, spec));
  const auto ours = TRY(find_ours(TRY(path.list()), spec, before));
  if (!ours) return make(path, spec, "created", "made ");
  if (const auto why = TRY(difference_of(path, *ours, spec, before)); !why.empty()) return replace(world, *ours, spec, why);
  if (spec.start && !is_up(*ours)) {
    TRY(path.start(ours->id));
    return acted_on(ours->id, spec, "updated", "started " + spec.name + ", which was " + ours->state);
  }
  const bool recorded = ours->id == text_of(before, "id");
  return acted_on(ours->id, spec, recorded ? "unchanged" : "adopted", recorded ? "" : "took over " + spec.name + " as it runs");
}

/// Removes the recorded container and no other; one that was there before us stays.
Result<Acted> give_back(World& world, const Json& declared, const Json& found, const Json& before) {
  const auto spec = TRY(spec_of(declared));
  auto& path = *TRY(way(world));
  const auto all = TRY(path.list());
  auto id = text_of(before, "id");
  if (id.empty()) {  // the apply never ended: what it made, if anything, has our name and assignment
    const auto named = find(all, &path::Seen::name, spec.name);
    if (named && named->assignment == spec.assignment) id = named->id;
  }
  Acted acted;
  acted.action = "given_back";
  const auto ours = find(all, &path::Seen::id, id);
  if (!ours) return acted;
  if (id == text_of(found, "id")) {
    acted.detail = spec.name + " was there before and stays";
    return acted;
  }
  if (is_up(*ours)) TRY(path.stop(id, std::chrono::seconds{spec.stop_grace_s.value_or(kGrace.count())}));
  TRY(path.remove(id));
  acted.changed = true;
  acted.detail = "removed " + spec.name;
  return acted;
}

std::string target(const Json& declared) {
  const auto at = declared.find("spec");
  return at == declared.end() ? std::string{} : text_of(*at, "name");
}

}  // namespace berth::host::resources::container
