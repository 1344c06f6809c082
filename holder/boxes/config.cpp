#include "holder/boxes/config.h"

#include "base/fields.h"
#include "base/json.h"
#include "holder/client/spec_text.h"

namespace berth::holder::boxes {
namespace {

/// "egress-proxy:3128"
void read_proxy(Fields& fields, BoxesConfig& config) {
  const auto text = fields.text("proxy", config.proxy + ":" + std::to_string(config.proxy_port));
  const auto colon = text.rfind(':');
  int port = 0;
  if (colon != std::string::npos) {
    for (const char c : text.substr(colon + 1))
      port = c >= '0' && c <= '9' && port < 100'000 ? port * 10 + (c - '0') : 100'000;
  }
  if (colon == 0 || colon == std::string::npos || port < 1 || port > 65535)
    return fields.refuse("proxy", "must be a name and a port, such as \"egress-proxy:3128\"");
  config.proxy = text.substr(0, colon);
  config.proxy_port = port;
}

std::vector<uid_t> read_box_uids(Fields& fields, std::vector<uid_t> otherwise) {
  if (!fields.has("uids")) return otherwise;
  std::vector<uid_t> uids;
  for (const auto& uid : fields.array("uids")) {
    if (!uid.is_number_unsigned() || uid.get<std::uint64_t>() > 4294967294U) {
      fields.refuse("uids", "must be a list of user ids");
      return otherwise;
    }
    uids.push_back(uid.get<uid_t>());
  }
  if (uids.empty()) fields.refuse("uids", "must name at least one user id");
  return uids;
}

void read_paths(Fields& fields, BoxesConfig& config) {
  config.socket = fields.text("socket", config.socket.native());
  if (!config.socket.is_absolute() || config.socket.native().size() > 107)
    fields.refuse("socket", "must be an absolute path of at most 107 bytes");
  config.kubeconfig = fields.text("kubeconfig", "");
  if (!config.kubeconfig.empty() && !config.kubeconfig.is_absolute())
    fields.refuse("kubeconfig", "must be an absolute path");
}

void read_limits(Fields& fields, BoxesConfig& config) {
  config.limits.memory_bytes =
      fields.integer("memory", std::int64_t{6} << 20, INT64_MAX, config.limits.memory_bytes);
  config.limits.pids = fields.integer("pids", 8, 4194304, config.limits.pids);
  config.storage_bytes = fields.integer("storage", std::int64_t{1} << 20, INT64_MAX, config.storage_bytes);
  const auto cpus = fields.text("cpus", "");
  const auto nano = client::parse_cpus(cpus);
  if (!cpus.empty() && nano.value_or(0) < 10'000'000)
    fields.refuse("cpus", "must be a number of CPUs such as \"2\"");
  if (nano) config.limits.nano_cpus = *nano;
}

}  // namespace

Result<BoxesConfig> BoxesConfig::parse(const Json& document, const std::string& path) {
  Fields fields{document, path};
  BoxesConfig config;
  config.runtime = fields.one_of("runtime", {"docker", "kubernetes"}, "") == "kubernetes"
                       ? RuntimeKind::kubernetes
                       : RuntimeKind::docker;
  config.image = fields.text("image");
  config.uid = static_cast<uid_t>(fields.integer("uid", 1, 65534, config.uid));
  config.data_volume =
      fields.text("data_volume", config.runtime == RuntimeKind::docker ? config.data_volume : "");
  read_proxy(fields, config);
  config.name_space = fields.text("namespace", config.name_space);
  if (!BoxTag::allows(config.name_space)) fields.refuse("namespace", "must be " + std::string{BoxTag::kRule});
  config.pull_policy = fields.one_of("pull_policy", {"never", "missing", "always"}, config.pull_policy);
  config.run_timeout = std::chrono::seconds{fields.integer("run_timeout_s", 1, 86400, 60)};
  config.uids = read_box_uids(fields, config.uids);
  read_paths(fields, config);
  read_limits(fields, config);
  TRY(fields.finish());
  return config;
}

BoxSpec BoxesConfig::spec() const {
  auto spec = limits;
  spec.image = image;
  spec.environment.emplace("HOME", kParts[0].target);
  return spec;
}

BoxSpec BoxesConfig::login_spec() const {
  auto made = spec();
  made.environment["HOME"] = kLoginHome;
  return made;
}

}  // namespace berth::holder::boxes
