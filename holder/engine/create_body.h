#pragma once
#include <string>

#include "base/json_fwd.h"
#include "holder/client/spec.h"
#include "holder/engine/engine.h"

namespace berth::holder::engine {

/// The engine request composed from a judged spec: nothing of the caller's bytes is in it. What the spec does
/// not say is left to the engine, except what an engine would answer less safely: the network is always
/// named, ipc and cgroup namespaces are private, swap equals memory. `engine_socket` is what `runtime_socket`
/// mounts.
Json create_body(const client::ContainerSpec& spec, Kind kind, const std::string& engine_socket);

/// The network the container is created on; the further ones of `spec.networks` are joined afterwards.
std::string first_network(const client::ContainerSpec& spec);

/// One endpoint's settings: its aliases.
Json endpoint_settings(const client::NetworkJoin& join);

}  // namespace berth::holder::engine
