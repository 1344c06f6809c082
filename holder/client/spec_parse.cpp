#include <algorithm>

#include "base/json.h"
#include "holder/client/spec_parts.h"
#include "holder/client/spec_safe.h"
#include "holder/client/spec_text.h"
#include "holder/client/spec_words.h"

namespace berth::holder::client {
namespace {

/// No engine and no kernel call carries a NUL: what stands behind it would be judged and not used.
bool holds_nul(const Json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().find('\0') != std::string::npos;
  if (!value.is_structured()) return false;
  for (const auto& [key, item] : value.items()) {
    if (key.find('\0') != std::string::npos || holds_nul(item)) return true;
  }
  return false;
}

std::optional<std::vector<std::string>> read_words(Fields& f, std::string_view key) {
  if (!f.has(key)) return std::nullopt;
  return f.texts(key);
}

std::optional<std::int64_t> read_whole(Fields& f, std::string_view key, std::int64_t low, std::int64_t high) {
  if (!f.has(key)) return std::nullopt;
  return f.integer(key, low, high);
}

std::optional<std::int64_t> read_cpus(Fields& f) {
  const auto& value = f.any("cpus");
  if (value.is_null()) return std::nullopt;
  // A number is read through its shortest text, so that 0.1 is a tenth and not what a double makes of it.
  const auto text = value.is_string()   ? value.get<std::string>()
                    : value.is_number() ? value.dump()
                                        : std::string{};
  const auto cpus = parse_cpus(text);
  if (!cpus || *cpus == 0) f.refuse("cpus", "must be a number of CPUs such as 0.5 or \"1.5\"");
  return cpus;
}

std::optional<std::int64_t> read_grace(Fields& f) {
  const auto ns = read_duration(f, "stop_grace_period");
  if (ns && (*ns % 1'000'000'000 != 0 || *ns / 1'000'000'000 > 2147483647)) {
    f.refuse("stop_grace_period", "must be whole seconds, at most 2147483647");
  }
  return ns ? std::optional{*ns / 1'000'000'000} : std::nullopt;
}

std::vector<std::string> read_capabilities(Fields& f, std::string_view key, Asker asker) {
  auto list = f.texts(key);
  if (asker == Asker::host) std::ranges::transform(list, list.begin(), capability);
  return list;
}

std::vector<std::string> read_security(Fields& f) {
  auto list = f.texts("security_opt");
  for (auto& option : list) {
    if (is_no_new_privileges(option)) option = "no-new-privileges:true";
  }
  return list;
}

void read_what_runs(Fields& f, ContainerSpec& spec) {
  spec.name = f.text("name", "");
  spec.image = f.text("image");
  spec.command = read_words(f, "command");
  spec.entrypoint = read_words(f, "entrypoint");
  spec.environment = read_map(f, "environment");
  spec.labels = read_map(f, "labels");
  spec.user = f.text("user", "");
  spec.working_dir = f.text("working_dir", "");
  spec.hostname = f.text("hostname", "");
  spec.stop_signal = f.text("stop_signal", "");
  spec.stop_grace_s = read_grace(f);
  spec.restart = f.text("restart", "no");
  spec.pull_policy = f.one_of("pull_policy", {"never", "missing", "always"}, "never");
}

void read_limits(Fields& f, ContainerSpec& spec) {
  spec.mem_limit = read_size(f, "mem_limit");
  spec.mem_reservation = read_size(f, "mem_reservation");
  spec.nano_cpus = read_cpus(f);
  spec.cpu_shares = read_whole(f, "cpu_shares", 2, 262144);
  spec.pids_limit = read_whole(f, "pids_limit", 1, 4194304);
  spec.shm_size = read_size(f, "shm_size");
  spec.oom_score_adj = read_whole(f, "oom_score_adj", -1000, 1000);
}

void read_switches(Fields& f, ContainerSpec& spec) {
  spec.read_only = f.boolean("read_only", false);
  spec.init = f.boolean("init", false);
  spec.tty = f.boolean("tty", false);
  spec.stdin_open = f.boolean("stdin_open", false);
  spec.auto_remove = f.boolean("auto_remove", false);
  spec.start = f.boolean("start", true);
}

void read_confinement(Fields& f, ContainerSpec& spec, Asker asker) {
  spec.network_mode = f.text("network_mode", "");
  spec.cap_drop = read_capabilities(f, "cap_drop", asker);
  spec.cap_add = read_capabilities(f, "cap_add", asker);
  spec.security_opt = read_security(f);
  spec.dns = f.texts("dns");
  spec.dns_search = f.texts("dns_search");
  spec.extra_hosts = read_map(f, "extra_hosts");
}

Status read_host_only(Fields& f, ContainerSpec& spec) {
  spec.privileged = f.boolean("privileged", false);
  spec.runtime_socket = f.boolean("runtime_socket", false);
  for (auto [key, member] : {std::pair{"pid", &spec.pid},
                             {"ipc", &spec.ipc},
                             {"uts", &spec.uts},
                             {"userns_mode", &spec.userns_mode},
                             {"cgroup", &spec.cgroup},
                             {"cgroup_parent", &spec.cgroup_parent},
                             {"runtime", &spec.runtime},
                             {"mac_address", &spec.mac_address},
                             {"gpus", &spec.gpus},
                             {"assignment", &spec.assignment},
                             {"replaces", &spec.replaces}}) {
    *member = f.text(key, "");
  }
  spec.devices = f.texts("devices");
  spec.device_cgroup_rules = f.texts("device_cgroup_rules");
  spec.volumes_from = f.texts("volumes_from");
  spec.group_add = f.texts("group_add");
  spec.sysctls = read_map(f, "sysctls", true);
  Fields logging{f.object("logging"), f.path_of("logging")};
  spec.logging_driver = logging.text("driver", "");
  spec.logging_options = read_map(logging, "options");
  return logging.finish();
}

Status read_nested(Fields& f, ContainerSpec& spec) {
  spec.ports = TRY(read_ports(f));
  spec.volumes = TRY(read_volumes(f));
  spec.networks = TRY(read_networks(f));
  spec.ulimits = TRY(read_ulimits(f));
  spec.healthcheck = TRY(read_healthcheck(f));
  return {};
}

Result<ContainerSpec> read_spec(const Json& document, Asker asker) {
  Fields f{document, ""};
  ContainerSpec spec;
  read_what_runs(f, spec);
  read_limits(f, spec);
  read_switches(f, spec);
  read_confinement(f, spec, asker);
  TRY(read_nested(f, spec));
  if (asker == Asker::host) TRY(read_host_only(f, spec));
  TRY(f.finish());
  return spec;
}

}  // namespace

Result<ContainerSpec> parse_spec(const Json& document, Asker asker, const BusBounds& bounds) {
  if (!document.is_object()) return fail(Errc::bad_request, "a container spec must be an object");
  if (asker == Asker::bus) TRY(refuse_host_only(document));
  if (holds_nul(document)) return fail(Errc::bad_request, "a container spec holds no NUL character");
  const auto spec = TRY(read_spec(document, asker));
  TRY(check_words(spec));
  if (asker == Asker::host) {
    TRY(check_host_words(spec));
  } else {
    TRY(check_bus_words(spec));
    TRY(check_bus_bounds(spec, bounds));
  }
  return spec;
}

}  // namespace berth::holder::client
