#include <algorithm>

#include "holder/boxes/docker/docker_runtime.h"

// The internal network, the proxy on it, and nothing else on either.
namespace berth::holder::boxes::docker {
namespace {

constexpr const char* kInhibit = "com.docker.network.bridge.inhibit_ipv4";

bool is_ours(const engine::NetworkFacts& network, const BoxId& box) {
  const auto at = network.labels.find(kBoxLabel);
  return at != network.labels.end() && at->second == box.text();
}

}  // namespace

/// Leads nowhere, and has no address of the machine on it.
Result<bool> DockerRuntime::closed(engine::BoxCalls& calls, const engine::NetworkFacts& network) {
  if (!network.internal) return false;
  if (calls.podman()) return !network.gateway;
  const auto at = network.options.find(kInhibit);
  return at != network.options.end() && at->second == "true";
}

Result<engine::Inspected> DockerRuntime::proxy(engine::BoxCalls& calls) {
  auto found = TRY(named(calls, config_.proxy));
  if (!found) return fail(Errc::not_found, "the egress proxy's container " + config_.proxy + " is not there");
  return std::move(*found);
}

Status DockerRuntime::have_network(engine::BoxCalls& calls, const BoxId& box) {
  const auto name = network_name(box);
  const auto found = calls.network_facts(name);
  if (!found && found.error().code != Errc::not_found) return found.error();
  if (found && !is_ours(*found, box))
    return fail(Errc::conflict,
                "the network " + name + " is in the way: it bears no label " + kBoxLabel + "=" + box.text());
  if (found && TRY(closed(calls, *found))) return {};
  if (found) TRY(drop_network(calls, box));
  return calls.make_closed_network(name, {{kBoxLabel, box.text()}});
}

Status DockerRuntime::attach_proxy(engine::BoxCalls& calls, const BoxId& box) {
  const auto network = TRY(calls.network_facts(network_name(box)));
  const auto gate = TRY(proxy(calls));
  if (joined(gate, network)) return {};
  // Joined to one of that name that is gone: it keeps the name until it is taken away.
  if (std::ranges::find(gate.summary.networks, network.name) != gate.summary.networks.end())
    TRY(calls.disconnect(network.name, gate.summary.id));
  return calls.connect(network.name, gate.summary.id, {kAlias});
}

/// A Podman that was killed while it joined a container to a network or took it from one, knows two things of
/// it that do not agree, and tells neither of that container nor what containers there are. Joining makes the
/// two agree where it was half taken, taking where it was half joined; a refusal of either is no matter, as
/// what follows looks again.
void DockerRuntime::make_agree(engine::BoxCalls& calls, const BoxId& box) {
  if (!calls.podman()) return;
  for (const auto& name : {config_.proxy, box_name(box)}) {
    const auto seen = calls.engine().inspect(name);
    if (seen || seen.error().code != Errc::engine_refused) continue;
    static_cast<void>(calls.connect(network_name(box), name, {}));
    static_cast<void>(calls.disconnect(network_name(box), name));
  }
}

/// A container that is there already is on this network and on no other.
Status DockerRuntime::fence(engine::BoxCalls& calls, const BoxId& box) {
  const auto found = TRY(recorded(calls, Place::of(box)));
  if (!found) return {};
  const auto network = TRY(calls.network_facts(network_name(box)));
  for (const auto& other : found->summary.networks)
    if (other != network.name) TRY(calls.disconnect(other, found->summary.id));
  if (joined(*found, network) || !runs(*found)) return {};
  if (std::ranges::find(found->summary.networks, network.name) != found->summary.networks.end())
    TRY(calls.disconnect(network.name, found->summary.id));
  return calls.connect(network.name, found->summary.id, {});
}

/// The box is fenced in before the proxy is looked for: without one it reaches nothing, rather than too much.
Status DockerRuntime::isolate(engine::BoxCalls& calls, const BoxId& box) {
  TRY(have_network(calls, box));
  TRY(fence(calls, box));
  return attach_proxy(calls, box);
}

Status DockerRuntime::ensure_isolation(const BoxId& box) {
  const auto turn = turns_.take(box.text());
  const auto open = TRY(calls());
  make_agree(*open, box);
  return isolate(*open, box);
}

Result<bool> DockerRuntime::isolated(const BoxId& box) {
  const auto open = TRY(calls());
  const auto network = open->network_facts(network_name(box));
  if (!network && network.error().code == Errc::not_found) return false;
  const auto facts = TRY(network);
  if (!is_ours(facts, box) || !TRY(closed(*open, facts))) return false;
  const auto gate = TRY(named(*open, config_.proxy));
  if (!gate || !runs(*gate) || !joined(*gate, facts)) return false;
  const auto found = TRY(recorded(*open, Place::of(box)));
  if (found && found->summary.networks != std::vector<std::string>{facts.name}) return false;
  return std::ranges::all_of(facts.members, [&](const auto& member) {
    return member.first == gate->summary.id || (found && member.first == found->summary.id);
  });
}

/// Docker resolves the alias; Podman's internal networks have no resolver, so there it is the address.
Result<std::string> DockerRuntime::proxy_url(const BoxId& box) {
  const auto open = TRY(calls());
  const auto network = TRY(open->network_facts(network_name(box)));
  const auto gate = TRY(proxy(*open));
  if (!joined(gate, network))
    return fail(Errc::conflict,
                "the egress proxy is not on the network " + network.name + ": ensure the box");
  const auto host = open->podman() ? address_on(gate, network.name) : std::string{kAlias};
  if (host.empty()) return fail(Errc::conflict, "the egress proxy has no address on " + network.name);
  return "http://" + host + ":" + std::to_string(config_.proxy_port);
}

/// Everybody is taken from it first: an engine does not remove a network that is in use.
Status DockerRuntime::drop_network(engine::BoxCalls& calls, const BoxId& box) {
  const auto name = network_name(box);
  const auto found = calls.network_facts(name);
  if (!found) return found.error().code == Errc::not_found ? Status{} : Status{found.error()};
  if (!is_ours(*found, box)) return {};
  std::vector<std::string> members;
  for (const auto& [id, address] : found->members) members.push_back(id);
  const auto gate =
      TRY(named(calls, config_.proxy));  // stopped, it is not among them, and joined all the same
  const bool on_it = gate && std::ranges::find(gate->summary.networks, name) != gate->summary.networks.end();
  if (on_it && std::ranges::find(members, gate->summary.id) == members.end())
    members.push_back(gate->summary.id);
  for (const auto& id : members) {
    // One that went by itself meanwhile is refused, in each engine's own way; who is still there shows below.
    const auto taken = calls.disconnect(name, id);
    if (!taken && (taken.error().code == Errc::engine_unreachable || taken.error().code == Errc::timeout))
      return taken.error();
  }
  return calls.remove_network(name);
}

}  // namespace berth::holder::boxes::docker
