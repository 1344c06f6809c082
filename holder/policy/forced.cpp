#include "holder/policy/forced.h"

#include <algorithm>

#include "holder/policy/labels.h"

namespace berth::holder::policy {
namespace {

void drop_capabilities(client::ContainerSpec& spec) {
  for (const auto* name : {"MKNOD", "NET_RAW", "AUDIT_WRITE"}) {
    if (std::ranges::find(spec.cap_drop, name) == spec.cap_drop.end()) spec.cap_drop.emplace_back(name);
  }
}

void bound(client::ContainerSpec& spec, const client::BusBounds& bounds) {
  if (!spec.mem_limit) spec.mem_limit = std::min(std::int64_t{512} << 20, bounds.memory);
  if (!spec.nano_cpus) spec.nano_cpus = std::min(std::int64_t{1'000'000'000}, bounds.nano_cpus);
  if (!spec.pids_limit) spec.pids_limit = std::min(std::int64_t{512}, bounds.pids);
  if (!spec.shm_size) spec.shm_size = std::min(std::int64_t{64} << 20, *spec.mem_limit);
}

}  // namespace

client::ContainerSpec forced_for_bus(client::ContainerSpec spec, const std::string& caller,
                                     const client::BusBounds& bounds) {
  spec.labels[std::string{kCallerLabel}] = caller;
  bound(spec, bounds);
  drop_capabilities(spec);
  spec.security_opt = {"no-new-privileges:true"};
  spec.ipc = "private";
  spec.cgroup = "private";
  spec.logging_driver = "json-file";
  spec.logging_options = {{"max-size", "10m"}, {"max-file", "3"}};
  if (spec.networks.empty() && spec.network_mode.empty()) spec.network_mode = "bridge";
  return spec;
}

}  // namespace berth::holder::policy
