#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/fields.h"
#include "holder/client/spec.h"

namespace berth::holder::client {

// The pieces of parse_spec, in the order they run: who may not even name a member, the members read into
// types, what every asker keeps to, and what a bus caller keeps to besides.

/// Errc::refused_root_equivalent naming every host-only member at once, then Errc::refused_held.
Status refuse_host_only(const Json& document);

Result<std::vector<PublishedPort>> read_ports(Fields& fields);
Result<std::vector<VolumeMount>> read_volumes(Fields& fields);
Result<std::vector<NetworkJoin>> read_networks(Fields& fields);
Result<std::map<std::string, Ulimit>> read_ulimits(Fields& fields);
Result<std::optional<Healthcheck>> read_healthcheck(Fields& fields);
/// Values are strings, and whole numbers where `numbers` says so ("sysctls": {"net.core.somaxconn": 1024}).
std::map<std::string, std::string> read_map(Fields& fields, std::string_view key, bool numbers = false);

/// Bytes as a number or "64m"; absent when the member is.
std::optional<std::int64_t> read_size(Fields& fields, std::string_view key);
std::optional<std::int64_t> read_duration(Fields& fields, std::string_view key);

Status check_words(const ContainerSpec& spec);
Status check_host_words(const ContainerSpec& spec);
Status check_bus_words(const ContainerSpec& spec);
Status check_bus_bounds(const ContainerSpec& spec, const BusBounds& bounds);

/// "volumes[2].target"
std::string at(std::string_view list, std::size_t index, std::string_view member = {});

}  // namespace berth::holder::client
