#include "base/error.h"
#include "holder/boxes/docker/docker_runtime.h"

namespace berth::holder::boxes::docker {

Status DockerRuntime::prepare() {
  const auto open = TRY(calls());
  TRY(open->engine().ensure_volume(config_.data_volume, {{"boxes.data", "1"}}));
  TRY(data_path(*open));
  TRY(proxy(*open));
  return {};
}

Result<Facts> DockerRuntime::details(const BoxId& box) {
  const auto open = TRY(calls());
  const auto path = TRY(data_path(*open));
  Facts facts{{"runtime", open->podman() ? "podman" : "docker"},
              {"engine", open->engine().info().name + " " + open->engine().info().version},
              {"storage", path + "/boxes/" + box.text()}};
  if (const auto found = TRY(recorded(*open, Place::of(box)))) {
    facts["container"] = found->summary.id;
    facts["container_name"] = found->summary.name;
    facts["state"] = found->summary.state;
    facts["started_at"] = found->summary.started_at;
    facts["image"] = found->summary.image;
    facts["image_id"] = found->summary.image_id;
  }
  if (const auto gate = TRY(named(*open, config_.proxy))) facts["proxy"] = gate->summary.id;
  const auto network = open->network_facts(network_name(box));
  if (!network && network.error().code != Errc::not_found) return network.error();
  if (network) {
    facts["network"] = network->name;
    facts["network_id"] = network->id;
  }
  return facts;
}

Health DockerRuntime::health() {
  Health health;
  const auto open = calls();
  const auto answers = open ? (*open)->engine().ping() : Status{open.error()};
  health.answering = answers.ok();
  if (!answers) {
    health.cause = to_text(answers.error());
    calls_.with(
        [](auto& now) { now.reset(); });  // the next call opens the engine anew: it may be another version
    return health;
  }
  const auto gate = proxy(**open);
  health.proxy_ready = gate && runs(*gate);
  if (!gate) health.cause = to_text(gate.error());
  if (gate && !health.proxy_ready)
    health.cause = "the egress proxy's container " + config_.proxy + " is " + gate->summary.state;
  return health;
}

}  // namespace berth::holder::boxes::docker
