#include "base/json.h"
#include "holder/engine/create_body.h"
#include "holder/engine/http_engine.h"
#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"
#include "holder/engine/refusal.h"
#include "holder/engine/url.h"

// create, and the networks and volumes a container needs.
namespace berth::holder::engine {
namespace {

Result<Created> parse_created(const std::string& body) {
  const auto document = TRY(engine_json(body, "create"));
  Created created;
  created.id = text_member(document, "Id");
  if (created.id.empty()) return fail(Errc::engine_refused, "create: the engine's answer has no Id");
  if (const auto& warnings = member(document, "Warnings"); warnings.is_array()) {
    for (const auto& warning : warnings) {
      if (warning.is_string()) created.warnings.push_back(warning.get<std::string>());
    }
  }
  return created;
}

}  // namespace

Status HttpEngine::join_networks(const client::ContainerSpec& spec, const std::string& id) {
  const std::size_t first = spec.network_mode.empty() ? 1 : 0;
  for (auto i = first; i < spec.networks.size(); ++i) {
    const auto& join = spec.networks[i];
    TRY(network(
        join.name));  // Docker joins a stopped container to one that is not there, and fails at its start
    const Json body = {{"Container", id}, {"EndpointConfig", endpoint_settings(join)}};
    const Call call{.method = "POST",
                    .target = versioned("/networks/" + url_segment(join.name) + "/connect"),
                    .body = body.dump()};
    TRY(accepted(act("engine.connect", call, id), "join network " + join.name));
  }
  return {};
}

Result<Created> HttpEngine::create(const client::ContainerSpec& spec) {
  const auto body = create_body(spec, info_.kind, socket());
  const Call call{.method = "POST",
                  .target = versioned("/containers/create" + url_query({{"name", spec.name}})),
                  .body = body.dump()};
  const auto answer = TRY(act("engine.create", call, spec.name));
  if (!answer.ok()) {
    auto error = refusal(answer, "create " + spec.name);
    // A taken name is 409 from Docker and 500 from Podman: the name itself is asked, never the text.
    if (answer.status == 500 && inspect(spec.name)) error.code = Errc::conflict;
    return error;
  }
  auto created = TRY(parse_created(answer.body));
  if (auto joined = join_networks(spec, created.id); !joined) {
    static_cast<void>(remove(created.id, true, true));  // ours, and not what was asked for
    return joined.error();
  }
  return created;
}

Status HttpEngine::ensure_network(const std::string& name, const std::map<std::string, std::string>& labels) {
  const std::scoped_lock one{networks_};
  const auto found = network(name);
  if (found) return {};
  if (found.error().code != Errc::not_found) return found.error();
  const Json body = {
      {"Name", name}, {"Driver", "bridge"}, {"CheckDuplicate", true}, {"Labels", Json(labels)}};
  const Call call{.method = "POST", .target = versioned("/networks/create"), .body = body.dump()};
  const auto answer = TRY(act("engine.network_create", call, name));
  if (answer.ok() || network(name)) return {};  // somebody else made it meanwhile
  return refusal(answer, "make network " + name);
}

Status HttpEngine::ensure_volume(const std::string& name, const std::map<std::string, std::string>& labels) {
  const auto found = volume(name);
  if (found) return {};
  if (found.error().code != Errc::not_found) return found.error();
  const Json body = {{"Name", name}, {"Driver", "local"}, {"Labels", Json(labels)}};
  const Call call{.method = "POST", .target = versioned("/volumes/create"), .body = body.dump()};
  TRY(accepted(act("engine.volume_create", call, name), "make volume " + name));
  return {};
}

}  // namespace berth::holder::engine
