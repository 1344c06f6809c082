#include "holder/verbs/containers.h"

#include <algorithm>

#include "base/json.h"

namespace berth::holder::verbs {
namespace {

using engine::Inspected;
using engine::Summary;

bool is_named(const Summary& container, const std::string& name) {
  return container.name == name || std::ranges::find(container.names, name) != container.names.end();
}
bool has_prefix(const Summary& container, const std::string& prefix) {
  return container.id.starts_with(prefix);
}

Error no_such(const std::string& ref) {
  return fail_field(Errc::not_found, "container", "there is no container " + ref);
}

Error several(const std::string& ref, const std::vector<const Summary*>& matches) {
  auto error = fail_field(Errc::ambiguous, "container", ref + " is the start of several containers' ids:");
  for (const auto* match : matches) {
    error.detail += " " + match->id.substr(0, 12) + " (" + match->name + ")";
    error.candidates.push_back(match->id);
  }
  return error;
}

/// By the whole list, where the engine's own look-up does not settle it.
Result<std::string> find_id(const std::vector<Summary>& list, const std::string& ref) {
  if (std::ranges::find(list, ref, &Summary::id) != list.end()) return ref;
  const auto named = std::ranges::find_if(list, [&](const Summary& c) { return is_named(c, ref); });
  if (named != list.end()) return named->id;
  std::vector<const Summary*> matches;
  for (const auto& container : list) {
    if (has_prefix(container, ref)) matches.push_back(&container);
  }
  if (matches.empty()) return no_such(ref);
  if (matches.size() > 1) return several(ref, matches);
  return matches.front()->id;
}

Json port_rows(const Summary& summary) {
  Json rows = Json::array();
  for (const auto& port : summary.ports) {
    rows.push_back({{"host_ip", port.host_ip},
                    {"host_port", port.host_port},
                    {"container_port", port.container_port},
                    {"protocol", port.protocol}});
  }
  return rows;
}

Json mount_rows(const Summary& summary) {
  Json rows = Json::array();
  for (const auto& mount : summary.mounts) {
    rows.push_back({{"type", mount.type},
                    {"source", mount.source},
                    {"target", mount.target},
                    {"read_only", mount.read_only}});
  }
  return rows;
}

}  // namespace

Result<ContainerRef> read_container(Fields& fields) {
  const auto text = fields.text("container");
  if (text.empty()) {
    TRY(fields.finish());  // says what is wrong with it
  }
  return ContainerRef::parse(text);
}

Result<Inspected> resolve(Session& session, const ContainerRef& ref) {
  // The engine looks up by the same order, one request instead of a list of all. What it found is checked:
  // an answer we would not have given, or a refusal (several match), is settled by the list.
  auto found = session.engine.inspect(ref.text());
  if (found) {
    const auto& container = found->summary;
    if (container.id == ref.text() || is_named(container, ref.text()) || has_prefix(container, ref.text()))
      return found;
  } else if (found.error().code == Errc::not_found) {
    return no_such(ref.text());
  } else if (found.error().code != Errc::engine_refused) {
    return found.error();
  }
  return session.engine.inspect(TRY(find_id(TRY(session.engine.list()), ref.text())));
}

void put_holder(Json& answer, const Summary& summary) {
  answer["mesh_held"] = summary.mesh_held();
  answer["assignment"] = summary.mesh_held() ? Json(summary.assignment) : Json();
}

/// Member by member: a list of a thousand makes a thousand of these, and an initializer list copies each
/// part.
Json summary_document(const Summary& summary) {
  Json answer = Json::object();
  auto& members = answer.get_ref<Json::object_t&>();
  const auto put = [&](const char* key, Json value) { members.emplace(key, std::move(value)); };
  const auto put_text = [&](const char* key, const std::string& text) {
    put(key, text.empty() ? Json() : Json(text));
  };
  put("id", summary.id);
  put("name", summary.name);
  put("names", summary.names);
  put("image", summary.image);
  put("image_id", summary.image_id);
  put("state", summary.state);
  put("status", summary.status);
  put("health", summary.health);
  put("exit_code", summary.exit_code);
  put("restarts", summary.restarts ? Json(*summary.restarts) : Json());
  put_text("created_at", summary.created_at);
  put_text("started_at", summary.started_at);
  put_text("finished_at", summary.finished_at);
  put("ports", port_rows(summary));
  put("mounts", mount_rows(summary));
  put("networks", summary.networks);
  put_text("compose_project", summary.compose_project);
  put_holder(answer, summary);
  return answer;
}

}  // namespace berth::holder::verbs
