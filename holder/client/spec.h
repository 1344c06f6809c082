#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"

namespace berth::holder::client {

/// Who asks decides which members exist: the host's socket has all of them, a bus caller the safe ones.
enum class Asker { host, bus };

struct PublishedPort {
  int target = 0;
  int published = 0;                      // 0 (the host's socket only): the engine chooses
  std::string protocol = "tcp", host_ip;
  bool operator==(const PublishedPort&) const = default;
};
struct VolumeMount {
  std::string type;                       // volume, tmpfs, bind
  std::string source, target;
  bool read_only = false;
  std::optional<std::int64_t> tmpfs_size;
  std::map<std::string, std::string> driver_opts = {};  // the host's socket only: of a volume the engine makes at create
  bool operator==(const VolumeMount&) const = default;
};
struct Ulimit {
  std::int64_t soft = 0, hard = 0;
  bool operator==(const Ulimit&) const = default;
};
struct Healthcheck {
  std::vector<std::string> test;
  std::optional<std::int64_t> interval_ns, timeout_ns, start_period_ns;
  std::optional<int> retries;
  bool operator==(const Healthcheck&) const = default;
};
struct NetworkJoin {
  std::string name;
  std::vector<std::string> aliases;
  bool operator==(const NetworkJoin&) const = default;
};

/// What a bus caller may ask for at most: settings of the runtime module, with policy.md's defaults.
struct BusBounds {
  std::int64_t memory = std::int64_t{4} << 30;
  std::int64_t nano_cpus = 2'000'000'000;
  std::int64_t pids = 4096;
  int port_low = 1024, port_high = 65535;
  std::int64_t containers = 32;           // of one caller, on this machine
};

/// A container as a caller may ask for it (contract.md 4): Compose's member names, every value typed. Made
/// by `parse_spec` alone; an engine request is composed from it, never from the caller's bytes.
struct ContainerSpec {
  std::string name, image;
  std::optional<std::vector<std::string>> command, entrypoint;
  std::map<std::string, std::string> environment, labels;
  std::string user, working_dir, hostname, stop_signal;
  std::optional<std::int64_t> stop_grace_s;
  std::string restart = "no";             // no, always, unless-stopped, on-failure[:n]
  std::vector<PublishedPort> ports;
  std::vector<VolumeMount> volumes;
  std::vector<NetworkJoin> networks;
  std::string network_mode;               // bridge, none; host's socket: host, container:…
  std::optional<std::int64_t> mem_limit, mem_reservation, nano_cpus, cpu_shares, pids_limit, shm_size, oom_score_adj;
  std::map<std::string, Ulimit> ulimits;
  std::optional<Healthcheck> healthcheck;
  bool read_only = false, init = false, tty = false, stdin_open = false, auto_remove = false, start = true;
  std::vector<std::string> cap_drop, cap_add, dns, dns_search, security_opt;
  std::map<std::string, std::string> extra_hosts;
  std::string pull_policy = "never";

  // The host's socket only.
  bool privileged = false, runtime_socket = false;
  std::string pid, ipc, uts, userns_mode, cgroup, cgroup_parent, runtime, mac_address, gpus;
  std::vector<std::string> devices, device_cgroup_rules, volumes_from, group_add;
  std::map<std::string, std::string> sysctls;
  std::string logging_driver;
  std::map<std::string, std::string> logging_options;
  std::string assignment;                 // becomes the label mesh-host.id
  std::string replaces;                   // id of the container this one takes the place of

  bool operator==(const ContainerSpec&) const = default;
};

/// Parses strictly. From the bus: a host-only member is Errc::refused_root_equivalent naming every such
/// member in `fields` at once; a key in neither list, a wrong type or bound is Errc::bad_request naming it;
/// `assignment`, or a label in a reserved namespace, is Errc::refused_held (mesh-host.id) or bad_request.
/// Bounds and grammars: policy.md section 1.
Result<ContainerSpec> parse_spec(const Json& document, Asker asker, const BusBounds& bounds = {});

/// The canonical document of a spec (only members that differ from their default) and its sha256: what
/// tells whether a container still is what was declared.
Json spec_document(const ContainerSpec& spec);
std::string spec_hash(const ContainerSpec& spec);

}  // namespace berth::holder::client
