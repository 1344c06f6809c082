#include <algorithm>

#include "holder/engine/box_calls.h"
#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"
#include "holder/engine/refusal.h"
#include "holder/engine/url.h"

// Networks that lead nowhere, and who is on them.
namespace berth::holder::engine {
namespace {

std::map<std::string, std::string> text_pairs(const Json& object) {
  std::map<std::string, std::string> pairs;
  if (!object.is_object()) return pairs;
  for (const auto& [key, value] : object.items()) {
    if (value.is_string()) pairs.emplace(key, value.get<std::string>());
  }
  return pairs;
}

/// Podman writes "<nil>" for none.
bool has_gateway(const Json& document) {
  const auto& subnets = member(member(document, "IPAM"), "Config");
  return subnets.is_array() && std::ranges::any_of(subnets, [](const Json& subnet) {
    const auto gateway = text_member(subnet, "Gateway");
    return !gateway.empty() && gateway != "<nil>";
  });
}

NetworkFacts facts_of(const Json& document) {
  NetworkFacts facts{.id = text_member(document, "Id"),
                     .name = text_member(document, "Name"),
                     .internal = bool_member(document, "Internal"),
                     .gateway = has_gateway(document),
                     .options = text_pairs(member(document, "Options")),
                     .labels = text_pairs(member(document, "Labels")),
                     .members = {}};
  const auto& members = member(document, "Containers");
  if (!members.is_object()) return facts;
  for (const auto& [id, endpoint] : members.items()) {
    const auto address = text_member(endpoint, "IPv4Address");
    facts.members.emplace(id, address.substr(0, address.find('/')));
  }
  return facts;
}

/// Docker's bridge of an internal network has an address of the machine all the same, unless told.
Json docker_network(const std::string& name, const std::map<std::string, std::string>& labels) {
  return {{"Name", name},
          {"Driver", "bridge"},
          {"CheckDuplicate", true},
          {"Internal", true},
          {"EnableIPv6", false},
          {"Options", {{"com.docker.network.bridge.inhibit_ipv4", "true"}}},
          {"Labels", Json(labels)}};
}

/// Of an internal network with a resolver Podman 5 gives the machine an address, for the resolver to listen on,
/// and the resolver asks others. Only its own door makes one without.
Json podman_network(const std::string& name, const std::map<std::string, std::string>& labels) {
  return {{"name", name},          {"driver", "bridge"},     {"internal", true}, {"dns_enabled", false},
          {"ipv6_enabled", false}, {"labels", Json(labels)}, {"options", {{"isolate", "true"}}}};
}

}  // namespace

Status BoxCalls::make_closed_network(const std::string& name,
                                     const std::map<std::string, std::string>& labels) {
  const auto body = podman() ? podman_network(name, labels) : docker_network(name, labels);
  const auto target = podman() ? std::string{"/v4.0.0/libpod/networks/create"} : at("/networks/create");
  const Call call{.method = "POST", .target = target, .body = body.dump()};
  TRY(accepted(act("engine.network_create", call, name), "make network " + name));
  return {};
}

Result<NetworkFacts> BoxCalls::network_facts(const std::string& name) {
  auto facts = facts_of(TRY(get("/networks/" + url_segment(name), "network " + name)));
  if (facts.name != name)  // an id, or the prefix of one, answers too
    return fail(Errc::not_found, "network " + name + ": the engine has none of that name");
  return facts;
}

Result<std::vector<NetworkFacts>> BoxCalls::networks_with(const std::string& label) {
  const auto filter = Json{{"label", Json::array({label})}}.dump();
  const auto rows = TRY(get("/networks" + url_query({{"filters", filter}}), "list of networks"));
  std::vector<NetworkFacts> found;
  if (!rows.is_array()) return fail(Errc::engine_refused, "list of networks: the answer is no list");
  for (const auto& row : rows) {
    auto facts = facts_of(row);
    if (facts.labels.contains(label)) found.push_back(std::move(facts));
  }
  return found;
}

Status BoxCalls::connect(const std::string& network, const std::string& container,
                         const std::vector<std::string>& aliases) {
  const Json body = {{"Container", container}, {"EndpointConfig", {{"Aliases", aliases}}}};
  const Call call{
      .method = "POST", .target = at("/networks/" + url_segment(network) + "/connect"), .body = body.dump()};
  TRY(accepted(act("engine.connect", call, network), "join " + container + " to network " + network));
  return {};
}

Status BoxCalls::disconnect(const std::string& network, const std::string& container) {
  const Json body = {{"Container", container}, {"Force", true}};
  const Call call{.method = "POST",
                  .target = at("/networks/" + url_segment(network) + "/disconnect"),
                  .body = body.dump()};
  TRY(accepted(act("engine.disconnect", call, network), "take " + container + " from network " + network));
  return {};
}

Status BoxCalls::remove_network(const std::string& name) {
  const Call call{.method = "DELETE", .target = at("/networks/" + url_segment(name))};
  const auto answer = TRY(act("engine.network_remove", call, name));
  if (answer.ok() || answer.status == 404) return {};
  return refusal(answer, "remove network " + name);
}

}  // namespace berth::holder::engine
