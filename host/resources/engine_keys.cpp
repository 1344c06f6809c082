#include "host/resources/engine_keys.h"

#include <algorithm>
#include <iterator>

namespace berth::host::resources {
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

}  // namespace berth::host::resources
