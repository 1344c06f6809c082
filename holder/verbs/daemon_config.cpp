#include <algorithm>

#include "base/hash.h"
#include "base/json.h"
#include "holder/verbs/containers.h"
#include "holder/verbs/engine_file.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

using engine::EngineFacts;

/// The keys that the engine repeats in its own words, as it says them now.
Json as_the_engine_says(const EngineFacts& facts) {
  return {{"live-restore", facts.live_restore},
          {"insecure-registries", facts.insecure_registries},
          {"registry-mirrors", facts.registry_mirrors},
          {"labels", facts.labels},
          {"debug", facts.debug},
          {"default-runtime", facts.default_runtime},
          {"storage-driver", facts.storage_driver},
          {"data-root", facts.root_dir},
          {"log-driver", facts.logging_driver}};
}

/// A list is a set here, to which the engine adds its own; a registry it says without scheme and path.
bool is_taken(const std::string& key, const Json& wanted, const Json& runs) {
  if (!wanted.is_array() || !runs.is_array()) return wanted == runs;
  const auto said = [&](const Json& item) {
    const auto text = item.is_string() ? item.get<std::string>() : item.dump();
    const auto plain = key == "insecure-registries" ? client::normal_registry(text) : text;
    return std::ranges::any_of(runs, [&](const Json& one) { return one == plain || one == plain + "/"; });
  };
  return std::ranges::all_of(wanted, said);
}

/// A key that only a start takes and no answer repeats: waiting if the file changed after the engine began.
bool waits_unseen(const std::string& key, const EngineFile& file, const EngineProcess& process) {
  const auto* row = client::find_engine_key(key);
  const bool at_start = row != nullptr && row->taken == client::Taken::at_start;
  return at_start && process.began && file.changed() && *file.changed() > *process.began;
}

Json keys_not_taken(const EngineFile& file, const EngineFacts& facts, const EngineProcess& process) {
  Json waiting = Json::array();
  if (!file.document().is_object()) return waiting;
  const auto says = as_the_engine_says(facts);
  for (const auto& [key, value] : file.document().items()) {
    const bool is_said = says.contains(key);
    if (is_said && !is_taken(key, value, says[key]))
      waiting.push_back({{"key", key}, {"file", value}, {"engine", says[key]}});
    if (!is_said && waits_unseen(key, file, process)) {
      waiting.push_back({{"key", key},
                         {"file", value},
                         {"engine", nullptr},
                         {"why", "taken at the engine's start, and the file changed after it"}});
    }
  }
  return waiting;
}

Json keys_set_by_flag(const EngineProcess& process) {
  Json rows = Json::array();
  for (const auto& flag : process.flags)
    rows.push_back({{"key", flag.key}, {"flag", flag.flag}, {"value", flag.value}});
  return rows;
}

Json engine_document_of(const EngineFacts& facts, const EngineProcess& process) {
  return {{"name", facts.engine.name},
          {"version", facts.engine.version},
          {"live_restore", facts.live_restore},
          {"insecure_registries", facts.insecure_registries},
          {"registry_mirrors", facts.registry_mirrors},
          {"logging_driver", facts.logging_driver},
          {"storage_driver", facts.storage_driver},
          {"default_runtime", facts.default_runtime},
          {"root_dir", facts.root_dir},
          {"debug", facts.debug},
          {"containers_running", facts.containers_running},
          {"began_at", process.began ? Json(to_rfc3339(*process.began)) : Json()}};
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
  const auto facts = TRY(session.engine.facts());
  const auto file = TRY(EngineFile::read(session.facts));
  const bool docker = facts.engine.kind == engine::Kind::docker;  // no other engine reads that file
  const auto process = docker ? EngineProcess::look(session.facts.engine_pid_file) : EngineProcess{};
  const auto reload = TRY(last_reload(session));
  return Json{{"file",
               {{"path", session.facts.engine_file.native()},
                {"exists", file.exists()},
                {"text", file.text()},
                {"sha256", sha256_hex(file.text())},
                {"changed_at", file.changed() ? Json(to_rfc3339(*file.changed())) : Json()}}},
              {"engine", engine_document_of(facts, process)},
              {"not_taken", docker ? keys_not_taken(file, facts, process) : Json::array()},
              {"set_by_flag", keys_set_by_flag(process)},
              {"flags_unknown", process.unknown.empty() ? Json() : Json(process.unknown)},
              {"next_start", docker ? file.would_stop(process) : Json::array()},
              {"last_reload", reload}};
}

}  // namespace berth::holder::verbs
