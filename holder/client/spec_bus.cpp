#include <algorithm>

#include "holder/client/spec_check.h"
#include "holder/client/spec_parts.h"
#include "holder/client/spec_safe.h"
#include "holder/client/spec_text.h"
#include "holder/client/spec_words.h"

namespace berth::holder::client {
namespace {

Status check_command(const ContainerSpec& spec, const std::optional<std::vector<std::string>>& words,
                     const char* field) {
  std::size_t bytes = 0;
  for (const auto& word : words.value_or(std::vector<std::string>{})) bytes += word.size();
  TRY(must(!words || (words->size() <= 128 && bytes <= 65536), field, "at most 128 words and 64 KiB"));
  if (words != spec.entrypoint || !words || words->empty()) return {};
  // Podman reads a one-word entrypoint that starts with [ as JSON.
  return must(!words->front().empty() && (words->size() > 1 || !words->front().starts_with('[')), field,
              "words, the first one a program");
}

Status check_environment_words(const ContainerSpec& spec) {
  std::size_t bytes = 0;
  TRY(must(spec.environment.size() <= 256, "environment", "at most 256 variables"));
  for (const auto& [name, value] : spec.environment) {
    const auto field = "environment[" + name + "]";
    TRY(must(is_environment_name(name), field, "named with letters, digits and _"));
    TRY(must(value.size() <= 32768, field, "at most 32 KiB"));
    bytes += name.size() + value.size() + 1;
  }
  return must(bytes <= 98304, "environment", "at most 96 KiB together");
}

Status check_label_words(const ContainerSpec& spec) {
  TRY(must(spec.labels.size() <= 32, "labels", "at most 32"));
  for (const auto& [key, value] : spec.labels) {
    const auto field = "labels[" + key + "]";
    TRY(must(is_label_key(key), field, "named with lower-case letters, digits and . _ / -"));
    TRY(must(!is_reserved_label(key), field, "outside the reserved namespaces"));
    TRY(must(value.size() <= 1024 && !has_control_characters(value), field,
             "at most 1 KiB without control characters"));
  }
  return {};
}

Status check_volume_words(const ContainerSpec& spec) {
  TRY(must(spec.volumes.size() <= 8, "volumes", "at most 8"));
  for (std::size_t i = 0; i < spec.volumes.size(); ++i) {
    const auto& mount = spec.volumes[i];
    TRY(must(is_safe_target(mount.target), at("volumes", i, "target"),
             "a plain path outside /proc, /sys, /dev and what the engine owns"));
    TRY(must(mount.type == "tmpfs" || is_safe_volume_name(mount.source), at("volumes", i, "source"),
             "a volume's name, not an anonymous one's"));
    const auto nested = [&](const VolumeMount& other) {
      return other.target.starts_with(mount.target + "/");
    };
    TRY(must(std::ranges::none_of(spec.volumes, nested), at("volumes", i, "target"),
             "no other mount's parent"));
  }
  return {};
}

Status check_capabilities(const ContainerSpec& spec) {
  for (std::size_t i = 0; i < spec.cap_drop.size(); ++i) {
    TRY(must(is_default_capability(spec.cap_drop[i]), at("cap_drop", i), "one of the default set, or ALL"));
  }
  const bool all = std::ranges::find(spec.cap_drop, "ALL") != spec.cap_drop.end();
  return must(spec.cap_add.empty() || all, "cap_add", "given with cap_drop [\"ALL\"] alone");
}

Status check_name_lists(const ContainerSpec& spec) {
  TRY(must(spec.dns.size() <= 3 && std::ranges::all_of(spec.dns, is_ip_literal), "dns",
           "at most 3 addresses"));
  TRY(must(spec.dns_search.size() <= 4 && std::ranges::all_of(spec.dns_search, is_dns_name), "dns_search",
           "at most 4 domain names"));
  TRY(must(spec.extra_hosts.size() <= 16, "extra_hosts", "at most 16"));
  for (const auto& [name, address] : spec.extra_hosts) {
    TRY(must(is_dns_name(name) && is_ip_literal(address), "extra_hosts[" + name + "]",
             "a host name and an address"));
  }
  return {};
}

Status check_network_words(const ContainerSpec& spec) {
  TRY(must(spec.network_mode.empty() || spec.network_mode == "bridge" || spec.network_mode == "none",
           "network_mode", "bridge or none"));
  TRY(must(spec.networks.size() <= 8, "networks", "at most 8"));
  for (std::size_t i = 0; i < spec.networks.size(); ++i) {
    TRY(must(is_safe_container_name(spec.networks[i].name), at("networks", i), "an own network's name"));
  }
  TRY(must(spec.ports.size() <= 16, "ports", "at most 16"));
  return {};
}

}  // namespace

Status check_bus_words(const ContainerSpec& spec) {
  TRY(must(spec.name.empty() || is_safe_container_name(spec.name), "name",
           "2 to 63 of letters, digits, _ . and -, no id, no mesh- name and no word of the engines"));
  TRY(must(is_safe_image_reference(spec.image), "image", "a plain image reference or sha256:<64 hex>"));
  TRY(must(spec.pull_policy == "never", "pull_policy", "never: the image must be on this machine"));
  TRY(must(spec.working_dir.empty() || is_safe_working_dir(spec.working_dir), "working_dir",
           "a plain path outside /proc, /sys and /dev"));
  TRY(must(spec.hostname.empty() || is_dns_label(spec.hostname), "hostname", "one DNS label"));
  TRY(check_command(spec, spec.command, "command"));
  TRY(check_command(spec, spec.entrypoint, "entrypoint"));
  TRY(check_environment_words(spec));
  TRY(check_label_words(spec));
  TRY(check_volume_words(spec));
  TRY(check_capabilities(spec));
  TRY(check_network_words(spec));
  return check_name_lists(spec);
}

}  // namespace berth::holder::client
