#pragma once
#include <string>

#include "holder/client/spec.h"

namespace berth::holder::policy {

/// What a bus caller's container gets besides what was asked: the caller's label, bounds where none were
/// given, no new privileges, three capabilities less, private namespaces, a log that cannot fill the disk.
client::ContainerSpec forced_for_bus(client::ContainerSpec spec, const std::string& caller,
                                     const client::BusBounds& bounds);

}  // namespace berth::holder::policy
