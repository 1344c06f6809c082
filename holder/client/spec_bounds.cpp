#include <algorithm>
#include <array>

#include "holder/client/spec_check.h"
#include "holder/client/spec_parts.h"
#include "holder/client/spec_text.h"

namespace berth::holder::client {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLeastMemory = std::int64_t{6} << 20;
constexpr std::int64_t kDefaultMemory = std::int64_t{512} << 20;
constexpr std::int64_t kMostShared = std::int64_t{1} << 30;

Status between(const std::optional<std::int64_t>& value, std::int64_t low, std::int64_t high,
               std::string field) {
  if (!value || (*value >= low && *value <= high)) return {};
  auto detail = field + " must be from " + std::to_string(low) + " to " + std::to_string(high);
  return fail_field(Errc::bad_request, std::move(field), std::move(detail));
}

Status check_memory(const ContainerSpec& spec, const BusBounds& bounds) {
  TRY(between(spec.mem_limit, kLeastMemory, bounds.memory, "mem_limit"));
  const auto memory = spec.mem_limit.value_or(std::min(kDefaultMemory, bounds.memory));
  TRY(between(spec.mem_reservation, kLeastMemory, memory, "mem_reservation"));
  TRY(between(spec.shm_size, 4096, std::min(memory, kMostShared), "shm_size"));
  for (std::size_t i = 0; i < spec.volumes.size(); ++i) {
    if (spec.volumes[i].type != "tmpfs") continue;
    TRY(must(spec.volumes[i].tmpfs_size.has_value(), at("volumes", i, "tmpfs.size"), "given"));
    TRY(between(spec.volumes[i].tmpfs_size, 4096, std::min(memory, kMostShared),
                at("volumes", i, "tmpfs.size")));
  }
  return {};
}

Status check_shares(const ContainerSpec& spec, const BusBounds& bounds) {
  TRY(between(spec.nano_cpus, 10'000'000, bounds.nano_cpus, "cpus"));
  TRY(between(spec.cpu_shares, 2, 1024, "cpu_shares"));
  TRY(between(spec.pids_limit, 1, bounds.pids, "pids_limit"));
  TRY(between(spec.oom_score_adj, 0, 1000, "oom_score_adj"));
  return between(spec.stop_grace_s, 0, 120, "stop_grace_period");
}

Status check_ulimits(const ContainerSpec& spec) {
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 3> kMost = {
      std::pair{"nofile", 65536}, {"nproc", 4096}, {"core", 0}};
  for (const auto& [name, limit] : spec.ulimits) {
    const auto* most =
        std::ranges::find(kMost, std::string_view{name}, &std::pair<std::string_view, std::int64_t>::first);
    TRY(must(most != kMost.end(), "ulimits." + name, "nofile, nproc or core"));
    TRY(between(limit.soft, 0, most->second, "ulimits." + name + ".soft"));
    TRY(between(limit.hard, 0, most->second, "ulimits." + name + ".hard"));
  }
  return {};
}

Status check_healthcheck(const ContainerSpec& spec) {
  if (!spec.healthcheck) return {};
  const auto& check = *spec.healthcheck;
  TRY(between(check.interval_ns, 5 * kSecond, 86400 * kSecond, "healthcheck.interval"));
  TRY(between(check.timeout_ns, kSecond, 600 * kSecond, "healthcheck.timeout"));
  TRY(between(check.start_period_ns, kSecond, 3600 * kSecond, "healthcheck.start_period"));
  return must(check.retries.value_or(1) <= 100, "healthcheck.retries", "from 1 to 100");
}

Status check_ports(const ContainerSpec& spec, const BusBounds& bounds) {
  for (std::size_t i = 0; i < spec.ports.size(); ++i) {
    const auto& port = spec.ports[i];
    TRY(between(port.published, bounds.port_low, bounds.port_high, at("ports", i, "published")));
    TRY(must(port.host_ip.empty() || port.host_ip == "0.0.0.0" || port.host_ip == "127.0.0.1",
             at("ports", i, "host_ip"), "0.0.0.0 or 127.0.0.1"));
    const auto same = [&](const PublishedPort& other) {
      return other.target == port.target && other.protocol == port.protocol;
    };
    TRY(must(std::ranges::count_if(spec.ports, same) == 1, at("ports", i, "target"), "published once"));
  }
  return {};
}

Status check_signal_and_restart(const ContainerSpec& spec) {
  constexpr std::array<std::string_view, 9> kSignals = {"",        "SIGTERM", "SIGINT",  "SIGQUIT", "SIGHUP",
                                                        "SIGUSR1", "SIGUSR2", "SIGKILL", "SIGWINCH"};
  TRY(must(std::ranges::find(kSignals, spec.stop_signal) != kSignals.end(), "stop_signal",
           "SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGKILL or SIGWINCH"));
  if (!spec.restart.starts_with("on-failure")) return {};
  const auto tries = spec.restart.size() > 11 ? parse_whole(spec.restart.substr(11)) : std::nullopt;
  return must(tries.value_or(0) >= 1 && *tries <= 10, "restart", "on-failure with a count from 1 to 10");
}

}  // namespace

Status check_bus_bounds(const ContainerSpec& spec, const BusBounds& bounds) {
  TRY(check_memory(spec, bounds));
  TRY(check_shares(spec, bounds));
  TRY(check_ulimits(spec));
  TRY(check_healthcheck(spec));
  TRY(check_ports(spec, bounds));
  return check_signal_and_restart(spec);
}

}  // namespace berth::holder::client
