#include <algorithm>

#include "base/fields.h"
#include "base/hash.h"
#include "host/resources/declared.h"
#include "host/resources/placed_file.h"
#include "host/resources/types.h"
#include "host/resources/units.h"

namespace berth::host::resources::file {
namespace {

Result<Placement> declared_placement(const Json& declared) {
  Fields fields{declared, "file"};
  const auto owner = TRY(find_owner(text_of(declared, "owner", "root:root")));
  return Placement{mode_field(fields, "mode").value_or(0644), owner.uid, owner.gid};
}

bool is_as(const PlacedFile& now, const std::string& bytes, const Placement& placement) {
  return now.exists && now.bytes == bytes && now.mode == placement.mode.value_or(now.mode) &&
         now.uid == placement.uid.value_or(now.uid) && now.gid == placement.gid.value_or(now.gid);
}

constexpr std::string_view kUnitFolders[] = {"/etc/systemd/system/", "/run/systemd/system/", "/usr/local/lib/systemd/system/",
                                             "/usr/lib/systemd/system/", "/lib/systemd/system/"};

bool is_read_by_systemd(const std::string& path) {
  return std::ranges::any_of(kUnitFolders, [&](std::string_view folder) { return path.starts_with(folder); });
}

/// systemd reads its files only when it is told to.
Status tell_systemd(World& world, const std::string& path) {
  return is_read_by_systemd(path) ? world.units.daemon_reload() : Status{};
}

bool is_as_found(const PlacedFile& now, const Json& found) {
  if (!now.exists || !flag_of(found, "exists")) return now.exists == flag_of(found, "exists");
  const auto bytes = bytes_of_document(found.at("bytes"));
  return bytes && is_as(now, *bytes, {found.at("mode").get<mode_t>(), found.at("uid").get<uid_t>(), found.at("gid").get<gid_t>()});
}

/// What the last apply wrote, what one that did not come to its end was writing, or what was found.
bool is_ours_or_found(const PlacedFile& now, const Json& declared, const Json& found, const Json& before) {
  if (is_as_found(now, found)) return true;
  if (!now.exists) return false;
  const auto hash = sha256_hex(now.bytes);
  return hash == sha256_hex(text_of(declared, "content")) || (before.is_object() && before.value("sha256", Json{}) == Json(hash));
}

}  // namespace

Status check(const Json& declared) {
  Fields fields{declared, "file"};
  read_common(fields);
  path_field(fields, "path");
  mode_field(fields, "mode");
  fields.text("owner", "");
  if (!fields.any("content").is_string()) fields.refuse("content", "must be a text");
  return fields.finish();
}

Result<Json> read(World& world, const Json& declared) {
  const auto path = text_of(declared, "path");
  const auto now = TRY(read_placed(world.root, path));
  Json found = {{"exists", now.exists}, {"link", now.link}, {"folders", missing_folders(world.root, now.target)}};
  if (!now.exists) return found;
  found["bytes"] = document_of_bytes(now.bytes);
  found["mode"] = now.mode;
  found["uid"] = now.uid;
  found["gid"] = now.gid;
  return found;
}

Result<Acted> apply(World& world, const Json& declared, const Json&, const Json& before) {
  const auto path = text_of(declared, "path");
  const auto content = text_of(declared, "content");
  const auto placement = TRY(declared_placement(declared));
  const auto now = TRY(read_placed(world.root, path));
  Acted acted;
  acted.applied = {{"sha256", sha256_hex(content)}};
  if (is_as(now, content, placement)) {
    TRY(drop_unplaced(world.root, path));
    // Written by an apply that did not come to its end: whether systemd was told is not known.
    if (before != acted.applied) TRY(tell_systemd(world, path));
    return acted;
  }
  TRY(make_folders(world.root, now.target, world.seam));
  TRY(place_file(world.root, path, content, placement, world.seam));
  TRY(tell_systemd(world, path));
  acted.changed = true;
  acted.action = now.exists ? "updated" : "created";
  acted.detail = (now.exists ? "wrote " : "made ") + path;
  return acted;
}

/// Somebody changed it since, or took it away: theirs stays, and the report says so.
Result<Acted> give_back(World& world, const Json& declared, const Json& found, const Json& before) {
  const auto path = text_of(declared, "path");
  const auto now = TRY(read_placed(world.root, path));
  Acted acted;
  acted.action = "given_back";
  if (!is_ours_or_found(now, declared, found, before)) {
    TRY(drop_unplaced(world.root, path));
    acted.detail = path + (now.exists ? " was changed" : " was removed") + " by somebody else since and stays as it is";
    return acted;
  }
  if (!flag_of(found, "exists")) {
    TRY(unplace_file(world.root, path, world.seam));
    TRY(remove_folders(world.root, found.value("folders", std::vector<std::string>{}), world.seam));
    acted.changed = now.exists;
    if (now.exists) acted.detail = "removed " + path;
    TRY(tell_systemd(world, path));  // also of a file that went before a crash
    return acted;
  }
  const auto bytes = TRY(bytes_of_document(found.at("bytes")));
  const Placement placement{found.at("mode").get<mode_t>(), found.at("uid").get<uid_t>(), found.at("gid").get<gid_t>()};
  if (is_as(now, bytes, placement)) {
    TRY(drop_unplaced(world.root, path));
    TRY(tell_systemd(world, path));  // also of a file that was put back before a crash
    return acted;
  }
  TRY(make_folders(world.root, now.target, world.seam));
  TRY(place_file(world.root, path, bytes, placement, world.seam));
  TRY(tell_systemd(world, path));
  acted.changed = true;
  acted.detail = "put " + path + " back as found";
  return acted;
}

std::string target(const Json& declared) { return text_of(declared, "path"); }

}  // namespace berth::host::resources::file
