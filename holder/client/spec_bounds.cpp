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

using InWords = std::string (*)(std::int64_t);

std::string as_number(std::int64_t value) { return std::to_string(value); }

/// As a spec says it: "24h", "10m", "5s".
std::string as_duration(std::int64_t nanoseconds) {
  const auto seconds = nanoseconds / kSecond;
  if (seconds > 0 && seconds % 3600 == 0) return std::to_string(seconds / 3600) + "h";
  if (seconds > 0 && seconds % 60 == 0) return std::to_string(seconds / 60) + "m";
  return std::to_string(seconds) + "s";
}

/// "0.01", "2".
std::string as_cpus(std::int64_t nano_cpus) {
  auto text = std::to_string(nano_cpus % 1'000'000'000 + 1'000'000'000).substr(1);
  text.erase(text.find_last_not_of('0') + 1);
  return std::to_string(nano_cpus / 1'000'000'000) + (text.empty() ? "" : "." + text);
}

/// Told in the unit in which it is asked for.
Status between(const std::optional<std::int64_t>& value, std::int64_t low, std::int64_t high,
               std::string field, InWords words = as_number) {
  if (!value || (*value >= low && *value <= high)) return {};
  auto detail = field + " must be from " + words(low) + " to " + words(high);
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
  TRY(between(spec.nano_cpus, 10'000'000, bounds.nano_cpus, "cpus", as_cpus));
  TRY(between(spec.cpu_shares, 2, 1024, "cpu_shares"));
  TRY(between(spec.pids_limit, 1, bounds.pids, "pids_limit"));
  TRY(between(spec.oom_score_adj, 0, 1000, "oom_score_adj"));
  if (!spec.stop_grace_s) return {};
  return between(*spec.stop_grace_s * kSecond, 0, 120 * kSecond, "stop_grace_period", as_duration);
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
  TRY(between(check.interval_ns, 5 * kSecond, 86400 * kSecond, "healthcheck.interval", as_duration));
  TRY(between(check.timeout_ns, kSecond, 600 * kSecond, "healthcheck.timeout", as_duration));
  TRY(between(check.start_period_ns, kSecond, 3600 * kSecond, "healthcheck.start_period", as_duration));
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
