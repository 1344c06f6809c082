#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "holder/verbs/containers.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

using engine::EngineFacts;

/// The keys that the engine repeats in its own words, as it says them now.
Json as_the_engine_says(const EngineFacts& facts) {
  return {{"live-restore", facts.live_restore},
          {"insecure-registries", facts.insecure_registries},
          {"log-driver", facts.logging_driver}};
}

/// Whether the engine runs with what the file says. Registries are a set, and the engine adds its own.
bool is_taken(const std::string& key, const Json& wanted, const Json& runs) {
  if (key != "insecure-registries" || !wanted.is_array()) return wanted == runs;
  return std::ranges::all_of(
      wanted, [&](const Json& registry) { return std::ranges::find(runs, registry) != runs.end(); });
}

Json keys_not_taken(const Json& file, const EngineFacts& facts) {
  Json waiting = Json::array();
  if (!file.is_object()) return waiting;
  const auto says = as_the_engine_says(facts);
  for (const auto& [key, runs] : says.items()) {
    if (!file.contains(key) || is_taken(key, file[key], runs)) continue;
    waiting.push_back({{"key", key}, {"file", file[key]}, {"engine", runs}});
  }
  return waiting;
}

/// The engine keeps its last 256 events and forgets them when it restarts, so this is null after that.
Result<Json> last_reload(Session& session) {
  const auto now = session.clock.now();
  const auto found = TRY(session.engine.past_events(now - std::chrono::hours{24}, now));
  const auto is_reload = [](const engine::RawEvent& e) { return e.type == "daemon" && e.action == "reload"; };
  const auto last = std::find_if(found.rbegin(), found.rend(), is_reload);
  if (last == found.rend()) return Json();
  return Json{{"at", to_rfc3339(last->at)}, {"attributes", last->attributes}};
}

}  // namespace

Result<Json> daemon_config(Session& session, const Json& params) {
  Fields fields{params, ""};
  TRY(fields.finish());
  const auto& path = session.facts.engine_file;
  const auto read = read_file(path);
  if (!read && read.error().code != Errc::not_found) return read.error();
  const auto text = read ? *read : std::string{};
  const auto facts = TRY(session.engine.facts());
  const auto document = parse_json(text, path.native());
  const auto reload = TRY(last_reload(session));
  return Json{
      {"file",
       {{"path", path.native()}, {"exists", read.ok()}, {"text", text}, {"sha256", sha256_hex(text)}}},
      {"engine",
       {{"name", facts.engine.name},
        {"version", facts.engine.version},
        {"live_restore", facts.live_restore},
        {"insecure_registries", facts.insecure_registries},
        {"logging_driver", facts.logging_driver}}},
      {"not_taken", document ? keys_not_taken(*document, facts) : Json::array()},
      {"last_reload", reload}};
}

}  // namespace berth::holder::verbs
