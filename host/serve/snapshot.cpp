#include "host/serve/snapshot.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <set>

#include "base/fields.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "host/apply/report.h"
#include "host/records/records.h"
#include "host/resources/engine_flags.h"
#include "host/serve/resolvers.h"

namespace berth::host::serve {
namespace {

constexpr std::array kPackages{"docker.io", "docker-ce", "podman", "containerd", "runc"};
constexpr std::array kUnits{"docker.socket", "containerd.service", "podman.socket", "berth-holder.service",
                            "berth-host.service"};

std::string owner_text(const struct stat& about) {
  std::array<char, 4096> buffer{};
  struct passwd user {};
  struct group group {};
  struct passwd* found_user = nullptr;
  struct group* found_group = nullptr;
  ::getpwuid_r(about.st_uid, &user, buffer.data(), buffer.size(), &found_user);
  std::string text = found_user != nullptr ? user.pw_name : std::to_string(about.st_uid);
  ::getgrgid_r(about.st_gid, &group, buffer.data(), buffer.size(), &found_group);
  return text + ":" + (found_group != nullptr ? group.gr_name : std::to_string(about.st_gid));
}

std::string mode_text(const struct stat& about) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%04o", about.st_mode & 07777U);
  return text.data();
}

std::string enabled_text(const resources::UnitState& state) { return state.file; }

Json unit_short(const resources::UnitState& state) {
  return {{"active", state.active}, {"enabled", enabled_text(state)}};
}

Result<Json> unit_document(const apply::Site& site, const std::vector<resources::UnitFile>& files) {
  const auto state = TRY(site.units.state(site.config.engine_unit));
  const auto text = resources::cat_text(files);
  Json drop_ins = Json::array();
  for (std::size_t i = 1; i < files.size(); ++i) drop_ins.push_back(files[i].path);
  return Json{{"name", site.config.engine_unit}, {"text", text},
              {"sha256", sha256_hex(text)},      {"active", state.active},
              {"enabled", enabled_text(state)},  {"drop_ins", drop_ins}};
}

Json engine_document(const path::EngineView& view) {
  return {{"name", view.name},
          {"version", view.version},
          {"live_restore", view.live_restore},
          {"insecure_registries", view.insecure_registries},
          {"logging_driver", view.logging_driver}};
}

template <class Names>
void add_names(std::set<std::string>& names, const Names& more) {
  for (const auto& name : more) names.insert(name);
}

std::set<std::string> names_of(const std::vector<Record>& records,
                               std::initializer_list<std::string_view> types, const char* key) {
  std::set<std::string> names;
  for (const auto& record : records) {
    const auto name = record.declared.find(key);
    const bool of_type = std::ranges::find(types, std::string_view{record.type}) != types.end();
    if (of_type && name != record.declared.end() && name->is_string()) names.insert(name->get<std::string>());
  }
  return names;
}

Result<Json> packages_document(const apply::Site& site, const std::vector<Record>& records) {
  auto names = names_of(records, {"package"}, "name");
  add_names(names, kPackages);
  Json document = Json::object();
  for (const auto& name : names) {
    if (const auto version = TRY(site.packages.installed(name))) document[name] = *version;
  }
  return document;
}

Result<Json> units_document(const apply::Site& site, const std::vector<Record>& records) {
  auto names = names_of(records, {"service", "process"}, "unit");
  add_names(names, kUnits);
  names.insert(site.config.engine_unit);
  Json document = Json::object();
  for (const auto& name : names) {
    const auto state = TRY(site.units.state(name));
    if (state.exists()) document[name] = unit_short(state);
  }
  return document;
}

}  // namespace

Result<Json> file_document(const apply::Site& site) {
  const std::filesystem::path path = site.root + site.config.engine_file;
  Json document = {{"path", site.config.engine_file},
                   {"target", Json{}},
                   {"exists", false},
                   {"text", Json{}},
                   {"mode", Json{}},
                   {"owner", Json{}},
                   {"sha256", sha256_hex("")}};
  std::error_code error;
  if (const auto link = std::filesystem::read_symlink(path, error); !error) {
    // From the link's own folder, as the machine reads it.
    document["target"] =
        (std::filesystem::path{site.config.engine_file}.parent_path() / link).lexically_normal().native();
  }
  auto bytes = read_file(path);
  if (!bytes && bytes.error().code == Errc::not_found) return document;
  if (!bytes) return std::move(bytes).error();
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return errno_error("read", path.native(), errno);
  document["exists"] = true;
  document["sha256"] = sha256_hex(*bytes);
  document["mode"] = mode_text(about);
  document["owner"] = owner_text(about);
  // Bytes that are no UTF-8 cannot stand in a JSON text; the sha256 still tells them apart.
  document["text"] = Json(*bytes).dump(-1, ' ', false, Json::error_handler_t::replace) ==
                             Json(*bytes).dump(-1, ' ', false, Json::error_handler_t::ignore)
                         ? Json(*bytes)
                         : Json{};
  return document;
}

Json keys_document(const Json& file, const Json& flags, const std::vector<Record>& records,
                   const std::string& engine_file) {
  Json keys = Json::array();
  const auto parsed = file["text"].is_string()
                          ? parse_json(file["text"].get<std::string>(), "the engine's file")
                          : Result<Json>{Json::object()};
  if (parsed && parsed->is_object()) {
    for (const auto& [key, value] : parsed->items()) {
      std::string owner = "hand";
      for (const auto& record : records) {
        const bool writes = record.type == "json" && record.declared.value("path", "") == engine_file &&
                            record.declared["into"].contains(key);
        if (writes && (owner == "hand" || !record.carried())) owner = record.id;
      }
      keys.push_back({{"key", key}, {"value", value}, {"owner", owner}});
    }
  }
  for (const auto& [key, values] : flags["flags"].items())
    keys.push_back({{"key", key}, {"value", values}, {"owner", "flag"}});
  return keys;
}

Result<Json> snapshot(const apply::Site& site, store::Store& store, bool latched) {
  const auto opened = TRY(path::open_path(site.linked, latched, site.holder_socket(), site.seam));
  if (opened.silent) return *opened.silent;
  const auto engine = TRY(opened.path->engine());
  const auto records = TRY(Records(store, site.config.machine).all());
  auto files = site.units.files(site.config.engine_unit);
  if (!files && files.error().code != Errc::not_found) return std::move(files).error();
  const auto unit_files = files ? *files : std::vector<resources::UnitFile>{};
  const auto flags = TRY(resources::read_engine_flags(unit_files, site.root)).document();
  const auto file = TRY(file_document(site));
  auto containers = apply::containers_document(TRY(opened.path->with_processes(opened.containers)));
  TRY(add_pinned_resolvers(containers, site, store, *opened.path));
  Json record_list = Json::array();
  for (const auto& record : records) record_list.push_back(record.document());
  const auto unit = TRY(unit_document(site, unit_files));
  const auto packages = TRY(packages_document(site, records));
  const auto units = TRY(units_document(site, records));
  return Json{{"machine", site.config.machine},
              {"machine_id", site.machine_id},
              {"taken_at", to_rfc3339(site.clock.now())},
              {"file", file},
              {"flags", flags},
              {"unit", unit},
              {"engine", engine_document(engine)},
              {"packages", packages},
              {"units", units},
              {"containers", containers},
              {"keys", keys_document(file, flags, records, site.config.engine_file)},
              {"records", record_list}};
}

}  // namespace berth::host::serve
