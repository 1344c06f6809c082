#include "holder/client/engine_keys.h"

#include <algorithm>
#include <iterator>

namespace berth::holder::client {
namespace {

constexpr EngineKey kKeys[] = {
    {"live-restore", "boolean", Taken::at_reload, "false"},
    {"insecure-registries", "texts", Taken::at_reload, "[]"},
    {"dns", "texts", Taken::at_start, ""},
    {"dns-opts", "texts", Taken::at_start, ""},
    {"dns-search", "texts", Taken::at_start, ""},
    {"log-driver", "text", Taken::at_start, ""},
    {"log-opts", "map", Taken::at_start, ""},
};

struct Renamed { std::string_view flag, key; };
/// Flags whose name in the file is another one; all others have the same.
constexpr Renamed kRenamed[] = {
    {"H", "hosts"}, {"host", "hosts"}, {"D", "debug"}, {"l", "log-level"}, {"s", "storage-driver"},
    {"g", "data-root"}, {"graph", "data-root"}, {"G", "group"}, {"b", "bridge"}, {"p", "pidfile"},
    {"insecure-registry", "insecure-registries"}, {"registry-mirror", "registry-mirrors"}, {"label", "labels"},
    {"dns-opt", "dns-opts"}, {"log-opt", "log-opts"}, {"storage-opt", "storage-opts"}, {"exec-opt", "exec-opts"},
    {"add-runtime", "runtimes"}, {"default-ulimit", "default-ulimits"},
    {"default-address-pool", "default-address-pools"}, {"authorization-plugin", "authorization-plugins"},
    {"cluster-store-opt", "cluster-store-opts"}, {"node-generic-resource", "node-generic-resources"},
    {"default-network-opt", "default-network-opts"}, {"feature", "features"}, {"cdi-spec-dir", "cdi-spec-dirs"},
};

/// Flags that take no word after them; "--name=false" still gives one a value.
constexpr std::string_view kSwitches[] = {
    "D", "debug", "experimental", "h", "help", "icc", "init", "ip-forward", "ip-masq", "iptables", "ip6tables", "ipv6",
    "ip-forward-no-drop", "live-restore", "no-new-privileges", "raw-logs", "rootless", "selinux-enabled", "tls",
    "tlsverify", "userland-proxy", "v", "validate", "version", "allow-direct-routing", "http-proxy-insecure",
};

/// Every key of Docker 20.10 to 28, in order.
constexpr std::string_view kAllKeys[] = {
    "allow-direct-routing", "allow-nondistributable-artifacts", "api-cors-header", "authorization-plugins", "bip", "bip6",
    "bridge", "bridge-accept-fwmark", "builder", "cdi-spec-dirs", "cgroup-parent", "cluster-advertise", "cluster-store",
    "cluster-store-opts", "containerd", "containerd-namespace", "containerd-plugin-namespace", "cpu-rt-period",
    "cpu-rt-runtime", "cri-containerd", "data-root", "debug", "default-address-pools", "default-cgroupns-mode",
    "default-gateway", "default-gateway-v6", "default-ipc-mode", "default-network-opts", "default-runtime",
    "default-shm-size", "default-ulimits", "deprecated-key-path", "dns", "dns-opts", "dns-search", "exec-opts",
    "exec-root", "experimental", "features", "firewall-backend", "fixed-cidr", "fixed-cidr-v6", "graph", "group",
    "host-gateway-ip", "host-gateway-ips", "hosts", "http-proxy", "https-proxy", "icc", "init", "init-path",
    "insecure-registries", "ip", "ip-forward", "ip-forward-no-drop", "ip-masq", "ip6tables", "iptables", "ipv6",
    "labels", "live-restore", "log-driver", "log-format", "log-level", "log-opts", "max-concurrent-downloads",
    "max-concurrent-uploads", "max-download-attempts", "metrics-addr", "mtu", "network-control-plane-mtu",
    "network-diagnostic-port", "no-new-privileges", "no-proxy", "node-generic-resources", "oom-score-adjust", "pidfile",
    "proxies", "raw-logs", "registry-mirrors", "rootless", "runtimes", "seccomp-profile", "selinux-enabled",
    "shutdown-timeout", "storage-driver", "storage-opts", "swarm-default-advertise-addr", "tls", "tlscacert", "tlscert",
    "tlskey", "tlsverify", "userland-proxy", "userland-proxy-path", "userns-remap", "validate",
};
static_assert(std::ranges::is_sorted(kAllKeys));

}  // namespace

const EngineKey* find_engine_key(std::string_view key) {
  const auto* row = std::ranges::find(kKeys, key, &EngineKey::key);
  return row == std::end(kKeys) ? nullptr : row;
}

FlagName flag_name(std::string_view flag) {
  while (flag.starts_with('-')) flag.remove_prefix(1);
  const auto* renamed = std::ranges::find(kRenamed, flag, &Renamed::flag);
  const bool is_switch = std::ranges::find(kSwitches, flag) != std::end(kSwitches);
  return {std::string{renamed == std::end(kRenamed) ? flag : renamed->key}, !is_switch};
}

std::vector<SetFlag> flags_in(const std::vector<std::string>& words) {
  std::vector<SetFlag> flags;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (!word.starts_with('-') || word == "-" || word == "--") continue;
    const bool is_long = word.starts_with("--");
    const auto equals = word.find('=');
    auto flag = is_long ? word.substr(0, equals) : word.substr(0, 2);
    auto name = flag_name(flag);
    std::string value = "true";
    if (is_long && equals != std::string::npos) value = word.substr(equals + 1);
    else if (!is_long && word.size() > 2 && name.takes_value) value = word.substr(word[2] == '=' ? 3 : 2);
    else if (name.takes_value && i + 1 < words.size()) value = words[++i];
    flags.push_back({std::move(flag), std::move(name.key), std::move(value), i});
  }
  return flags;
}

bool is_engine_key(std::string_view key) { return std::ranges::binary_search(kAllKeys, key); }

}  // namespace berth::holder::client
