#include "base/hash.h"
#include "base/json.h"
#include "holder/boxes/docker/docker_runtime.h"
#include "holder/boxes/running.h"

// What the containers of boxes and logins are made of.
namespace berth::holder::boxes::docker {
namespace {

// A resolver inside the box, where nobody answers: without one of its own the engine would pass what it does
// not know on to the machine's, from the machine's side where that is on loopback, and names would carry data
// out.
constexpr const char* kNoResolver = "127.0.0.1";

client::VolumeMount bind_mount(const std::string& source, std::string_view target) {
  client::VolumeMount mount;
  mount.type = "bind";
  mount.source = source;
  mount.target = target;
  return mount;
}

}  // namespace

/// What both may never have: rights, new rights, IPv6, more than their share.
void DockerRuntime::confine(client::ContainerSpec& container, const BoxSpec& spec) const {
  container.image = spec.image;
  const auto idle = idle_command();
  container.entrypoint = std::vector<std::string>{idle.front()};
  container.command = std::vector<std::string>{idle.begin() + 1, idle.end()};
  container.environment = spec.environment;
  container.user = std::to_string(config_.uid) + ":" + std::to_string(config_.uid);
  container.stop_signal = "SIGTERM";
  container.cap_drop = {"ALL"};
  container.security_opt = {"no-new-privileges"};
  container.mem_limit = spec.memory_bytes;
  container.nano_cpus = spec.nano_cpus;
  container.pids_limit = spec.pids;
  container.sysctls = {{"net.ipv6.conf.all.disable_ipv6", "1"}, {"net.ipv6.conf.default.disable_ipv6", "1"}};
}

client::ContainerSpec DockerRuntime::box_container(const BoxId& box, const BoxSpec& spec,
                                                   const std::string& data_path) const {
  client::ContainerSpec container;
  confine(container, spec);
  container.name = box_name(box);
  container.hostname = container.name;
  container.working_dir = kParts[0].target;
  container.networks = {{network_name(box), {}}};
  container.dns = {kNoResolver};
  for (const auto& part : kParts)
    container.volumes.push_back(
        bind_mount(data_path + "/boxes/" + box.text() + "/" + std::string{part.name}, part.target));
  container.labels = {{kBoxLabel, box.text()}};
  container.labels.emplace(kSpecMark, client::spec_hash(container));
  return container;
}

client::ContainerSpec DockerRuntime::login_container(const LoginId& login) const {
  client::ContainerSpec container;
  confine(container, config_.login_spec());
  container.name = login_name(login);
  container.hostname = container.name;
  container.network_mode = "bridge";
  client::VolumeMount home;
  home.type = "tmpfs";
  home.target = kLoginHome;
  home.tmpfs_size = std::int64_t{64} << 20;
  container.volumes = {home};
  container.labels = {{kLoginLabel, login.text()}};
  return container;
}

}  // namespace berth::holder::boxes::docker
