#include <charconv>

#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"
#include "holder/engine/words.h"

namespace berth::holder::engine {
namespace {

int port_number(std::string_view text) {
  int port = 0;
  std::from_chars(text.data(), text.data() + text.size(), port);
  return port;
}

/// {"80/tcp": [{"HostIp", "HostPort"}], "9999/tcp": null}
void read_ports(const Json& ports, Summary& summary) {
  if (!ports.is_object()) return;
  for (const auto& [key, bindings] : ports.items()) {
    if (!bindings.is_array()) continue;  // exposed, not published
    const auto slash = key.find('/');
    const auto protocol = slash == std::string::npos ? "tcp" : key.substr(slash + 1);
    for (const auto& binding : bindings) {
      const int host_port = port_number(text_member(binding, "HostPort"));
      if (host_port == 0) continue;
      summary.ports.push_back({text_member(binding, "HostIp"), host_port, port_number(key), protocol});
    }
  }
}

void read_mounts(const Json& mounts, Summary& summary) {
  if (!mounts.is_array()) return;
  for (const auto& item : mounts) {
    const auto type = text_member(item, "Type");
    summary.mounts.push_back({type, text_member(item, type == "volume" ? "Name" : "Source"),
                              text_member(item, "Destination"), !bool_member(item, "RW")});
  }
}

void read_state(const Json& state, Summary& summary) {
  summary.state = state_word(text_member(state, "Status"));
  summary.status = text_member(state, "Status");
  summary.health = health_word(text_member(member(state, "Health"), "Status"));
  summary.exit_code = static_cast<int>(number_member(state, "ExitCode"));
  summary.started_at = time_text(text_member(state, "StartedAt"));
  summary.finished_at = time_text(text_member(state, "FinishedAt"));
}

void read_identity(const Json& document, Summary& summary) {
  summary.id = text_member(document, "Id");
  summary.name = text_member(document, "Name");
  if (summary.name.starts_with('/')) summary.name.erase(0, 1);
  summary.names = {summary.name};
  summary.image = text_member(member(document, "Config"), "Image");
  summary.image_id = text_member(document, "Image");
  summary.restarts = maybe_number(document, "RestartCount");
  summary.created_at = time_text(text_member(document, "Created"));
}

void read_config(const Json& document, Summary& summary) {
  const auto& labels = member(member(document, "Config"), "Labels");
  if (labels.is_object()) {
    for (const auto& [key, value] : labels.items()) {
      if (value.is_string()) summary.labels.emplace(key, value.get<std::string>());
    }
  }
  const auto& networks = member(member(document, "NetworkSettings"), "Networks");
  if (networks.is_object()) {
    for (const auto& [name, settings] : networks.items()) summary.networks.push_back(name);
  }
  summary.host_network = text_member(member(document, "HostConfig"), "NetworkMode") == "host";
  read_labels(summary);
}

}  // namespace

Result<Inspected> parse_inspect(std::string_view body) {
  auto document = TRY(engine_json(body, "inspect"));
  Inspected inspected;
  auto& summary = inspected.summary;
  read_identity(document, summary);
  if (summary.id.empty()) return fail(Errc::engine_refused, "inspect: the engine's answer has no Id");
  read_state(member(document, "State"), summary);
  read_config(document, summary);
  read_ports(member(member(document, "NetworkSettings"), "Ports"), summary);
  read_mounts(member(document, "Mounts"), summary);
  inspected.pid = number_member(member(document, "State"), "Pid");
  inspected.oom_killed = bool_member(member(document, "State"), "OOMKilled");
  inspected.error = text_member(member(document, "State"), "Error");
  inspected.environment = remove_environment_values(document);
  inspected.document = std::make_shared<const Json>(std::move(document));
  return inspected;
}

}  // namespace berth::holder::engine
