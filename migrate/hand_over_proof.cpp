#include "migrate/hand_over_proof.h"

#include <algorithm>
#include <map>

#include "base/json.h"
#include "migrate/diff.h"

namespace berth::migrate {
namespace {

std::string text_of(const Json& file) {
  return file.value("text", Json{}).is_string() ? file.at("text").get<std::string>() : "";
}

/// The value a key had in a file's text; null when it is not there or the text is no object.
Json value_in(const Json& file, const std::string& key) {
  const auto parsed = Json::parse(text_of(file), nullptr, false);
  return parsed.is_object() ? parsed.value(key, Json{}) : Json{};
}

bool holds_all(const Json& list, const Json& wanted) {
  return std::ranges::all_of(wanted,
                             [&](const Json& item) { return std::ranges::find(list, item) != list.end(); });
}

/// Whether the engine reports the value; what it does not report at all is taken only if it was there before.
bool engine_has(const std::string& key, const Json& value, const Json& before, const Json& engine) {
  if (key == "live-restore") return engine.value("live_restore", Json{}) == value;
  if (key == "insecure-registries")
    return holds_all(engine.value("insecure_registries", Json::array()), value);
  if (key == "log-driver") return engine.value("logging_driver", Json{}) == value;
  return value_in(before["file"], key) == value;
}

bool taken_by_reload(const std::string& key) { return key == "live-restore" || key == "insecure-registries"; }

}  // namespace

Result<Json> file_as_planned(const Json& before, const Json& planned, const Json& after,
                             const std::string& machine) {
  const auto path = after.value("path", "the engine's file");
  if (after.value("sha256", "") != planned.value("sha256", "")) {
    return fail(Errc::failed, machine + ": " + path + " is not what was planned (planned -, found +)\n" +
                                  unified_diff(text_of(planned), text_of(after), path));
  }
  return Json{{"path", path},
              {"sha256", after["sha256"]},
              {"sha256_before", before.value("sha256", "")},
              {"diff", unified_diff(text_of(before), text_of(after), path)}};
}

Result<Json> keys_taken(const Json& into, const Json& before, const Json& after, const std::string& machine) {
  Json taken = Json::array();
  Json waiting = Json::array();
  for (const auto& [key, value] : into.items()) {
    const bool has = engine_has(key, value, before, after["engine"]);
    if (!has && taken_by_reload(key)) {
      return fail(Errc::failed, machine + ": the engine does not report " + key + " as " + value.dump() +
                                    ": " + after["engine"].dump());
    }
    (has ? taken : waiting).push_back(key);
  }
  return Json{{"taken", taken}, {"waiting", waiting}};
}

Result<Json> record_origins(const Json& before, const Json& after, const std::string& machine) {
  std::map<std::string, std::string> now;
  for (const auto& record : after) now[record.value("id", "")] = record.value("origin", "");
  Json origins = {{"carried", Json::array()}, {"declared", Json::array()}, {"given_back", Json::array()}};
  for (const auto& [id, origin] : now) origins[origin == "carried" ? "carried" : "declared"].push_back(id);
  for (const auto& record : before) {
    const auto id = record.value("id", "");
    const bool stays = now.contains(id);
    if (record.value("origin", "") == "carried" && !stays)
      return fail(Errc::failed, machine + ": the carried record " + id + " is gone");
    if (!stays) origins["given_back"].push_back(id);
  }
  return origins;
}

}  // namespace berth::migrate
