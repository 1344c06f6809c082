#include "holder/client/spec_check.h"

#include <algorithm>

#include "holder/client/spec_parts.h"
#include "holder/client/spec_text.h"
#include "holder/client/spec_words.h"

namespace berth::holder::client {
namespace {

bool is_restart(std::string_view text) {
  if (text == "no" || text == "always" || text == "unless-stopped" || text == "on-failure") return true;
  return text.starts_with("on-failure:") && parse_whole(text.substr(11)).value_or(-1) >= 0;
}

Status check_networking(const ContainerSpec& spec) {
  TRY(must(spec.networks.empty() || spec.network_mode.empty(), "network_mode",
           "absent where networks are named"));
  for (std::size_t i = 0; i < spec.networks.size(); ++i) {
    const auto& join = spec.networks[i];
    TRY(must(is_volume_name(join.name), at("networks", i), "a network's name"));
    const auto same = [&](const NetworkJoin& other) { return other.name == join.name; };
    TRY(must(std::ranges::count_if(spec.networks, same) == 1, at("networks", i), "named once"));
    for (const auto& alias : join.aliases) {
      TRY(must(is_dns_name(alias), at("networks", i, "aliases"), "host names"));
    }
  }
  for (std::size_t i = 0; i < spec.ports.size(); ++i) {
    const auto& ip = spec.ports[i].host_ip;
    TRY(must(ip.empty() || is_ip_literal(ip), at("ports", i, "host_ip"), "an address"));
  }
  return {};
}

Status check_volumes(const ContainerSpec& spec) {
  for (std::size_t i = 0; i < spec.volumes.size(); ++i) {
    const auto& mount = spec.volumes[i];
    TRY(must(is_absolute_path(mount.target) && mount.target != "/", at("volumes", i, "target"),
             "an absolute path below /"));
    if (mount.type == "volume")
      TRY(must(is_volume_name(mount.source), at("volumes", i, "source"), "a volume's name"));
    if (mount.type == "bind")
      TRY(must(is_absolute_path(mount.source), at("volumes", i, "source"), "an absolute path"));
    const auto same = [&](const VolumeMount& other) { return other.target == mount.target; };
    TRY(must(std::ranges::count_if(spec.volumes, same) == 1, at("volumes", i, "target"), "mounted on once"));
  }
  return {};
}

Status check_environment(const ContainerSpec& spec) {
  for (const auto& [name, value] : spec.environment) {
    TRY(must(!name.empty() && name.find('=') == std::string::npos, "environment[" + name + "]",
             "a variable's name without ="));
  }
  for (const auto& [name, limit] : spec.ulimits) {
    TRY(must(!name.empty() && std::ranges::all_of(name, [](char c) { return c >= 'a' && c <= 'z'; }),
             "ulimits." + name, "a limit's name"));
    TRY(must(limit.hard == -1 || (limit.soft != -1 && limit.soft <= limit.hard), "ulimits." + name + ".soft",
             "at most hard"));
  }
  return {};
}

}  // namespace

Status check_words(const ContainerSpec& spec) {
  TRY(must(spec.name.empty() || is_container_name(spec.name), "name",
           "at least two of letters, digits, _ . and -"));
  TRY(must(is_image_reference(spec.image), "image", "a plain image reference or sha256:<64 hex>"));
  TRY(must(spec.user.empty() || is_user(spec.user), "user", "an id or a name, with a group's after a colon"));
  TRY(must(spec.working_dir.empty() || is_absolute_path(spec.working_dir), "working_dir",
           "an absolute path"));
  TRY(must(spec.hostname.empty() || is_dns_name(spec.hostname), "hostname", "a host name"));
  TRY(must(spec.stop_signal.empty() || is_signal_name(spec.stop_signal), "stop_signal",
           "a signal such as SIGTERM"));
  TRY(must(is_restart(spec.restart), "restart", "no, always, unless-stopped or on-failure[:<count>]"));
  TRY(must(!spec.auto_remove || spec.restart == "no", "auto_remove",
           "false where a restart policy is given"));
  TRY(check_networking(spec));
  TRY(check_volumes(spec));
  return check_environment(spec);
}

}  // namespace berth::holder::client
