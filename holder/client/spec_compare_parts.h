#pragma once
// For spec_compare's sources alone: one question a group of members.
#include <string>

#include "base/json.h"
#include "holder/client/spec.h"

namespace berth::holder::client {

/// A container as an engine tells it; a part it leaves out is null.
struct Told {
  const Json& whole;
  const Json& config;
  const Json& host;
};

const Json& told_member(const Json& object, std::string_view key);
std::string told_text(const Json& object, std::string_view key);
bool told_flag(const Json& object, std::string_view key);

bool same_ports(const ContainerSpec& spec, const Told& told);
bool same_volumes(const ContainerSpec& spec, const Told& told);
bool same_socket(const ContainerSpec& spec, const Told& told);
bool same_networks(const ContainerSpec& spec, const Told& told);
bool same_network_mode(const ContainerSpec& spec, const Told& told);
bool same_ulimits(const ContainerSpec& spec, const Told& told);
bool same_healthcheck(const ContainerSpec& spec, const Told& told);
bool same_logging(const ContainerSpec& spec, const Told& told);
bool same_devices(const ContainerSpec& spec, const Told& told);

}  // namespace berth::holder::client
