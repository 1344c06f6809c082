#include "holder/boxes/conformance/engine_world.h"

#include <algorithm>
#include <thread>

#include "base/hash.h"
#include "holder/boxes/conformance/practice_image.h"
#include "holder/boxes/docker/docker_runtime.h"
#include "holder/boxes/running.h"

namespace berth::holder::boxes::conformance {
namespace {

constexpr int kLurePort = 8080;
constexpr std::size_t kMostAddresses = 4;

}  // namespace

EngineWorld::EngineWorld(std::unique_ptr<engine::BoxCalls> calls, const Options& options, Seam& seam)
    : calls_(std::move(calls)), run_(random_hex(4)) {
  config_.image = options.image.empty() ? std::string{kPracticeRepository} + ":latest" : options.image;
  config_.data_volume = "berth-conformance-" + run_;
  config_.proxy = "berth-conformance-proxy-" + run_;
  config_.run_timeout = options.run_timeout;
  config_.limits.memory_bytes = std::int64_t{128} << 20;
  runtime_ = docker::make_docker(config_, {options.socket, options.kind}, ledger_, seam);
  silent_ = docker::make_docker(config_, {options.socket + ".nobody", options.kind}, silent_ledger_, seam);
}

Result<std::unique_ptr<EngineWorld>> EngineWorld::open(const Options& options, Seam& seam) {
  auto calls = TRY(engine::BoxCalls::open(options.socket, options.kind, seam));
  std::unique_ptr<EngineWorld> world{new EngineWorld{std::move(calls), options, seam}};
  TRY(world->have_image(options, seam));
  TRY(world->put_up());
  return world;
}

EngineWorld::~EngineWorld() {
  for (const auto& name : made_) static_cast<void>(calls_->engine().remove(name, true, true));
  static_cast<void>(calls_->remove_volume(config_.data_volume));
}

Status EngineWorld::have_image(const Options& options, Seam& seam) {
  if (!options.image.empty()) return runtime_->ensure_image();
  if (calls_->engine().image(config_.image)) return {};
  // Podman takes no other tag for what it imports.
  return calls_->import_image(kPracticeRepository, "latest", TRY(practice_image_tar(seam)));
}

/// The proxy that the boxes are to reach, and the container that they are not.
Status EngineWorld::put_up() {
  lure_ = TRY(Lure::open());
  TRY(set_going(
      server(config_.proxy, "exec httpd -f -p " + std::to_string(config_.proxy_port) + " -h /www")));
  auto lure =
      server("berth-conformance-lure-" + run_, "exec httpd -f -p " + std::to_string(kLurePort) + " -h /www");
  lure.ports = {{kLurePort, 0, "tcp", ""}};
  TRY(set_going(lure));
  return runtime_->prepare();
}

client::ContainerSpec EngineWorld::server(const std::string& what, const std::string& script) const {
  client::ContainerSpec spec;
  spec.name = what;
  spec.image = config_.image;
  spec.entrypoint = std::vector<std::string>{"sh"};
  spec.command = std::vector<std::string>{"-c", script};
  spec.network_mode = "bridge";
  return spec;
}

Status EngineWorld::set_going(const client::ContainerSpec& spec) {
  made_.push_back(spec.name);
  return calls_->engine().start(TRY(calls_->engine().create(spec)).id);
}

Status EngineWorld::breach(const BoxId& box) { return calls_->connect(bridge(), box_name(box), {}); }

Status EngineWorld::impostor(const BoxId& box) {
  auto spec = server(box_name(box), "exec sleep 600");
  spec.labels = {{kBoxLabel, box.text()}};
  return set_going(spec);
}

Status EngineWorld::take_away(const BoxId& box) { return calls_->engine().remove(box_name(box), true, true); }

Result<Object> EngineWorld::stray() {
  const auto spec = server("berth-conformance-stray-" + run_, "exit 0");
  if (std::ranges::find(made_, spec.name) == made_.end()) TRY(set_going(spec));
  return Object{"container", spec.name, {}};
}

Status EngineWorld::stop_proxy() {
  TRY(calls_->engine().kill(config_.proxy, "KILL"));
  for (int i = 0; i < 100; ++i) {
    if (TRY(calls_->engine().inspect(config_.proxy)).summary.state != "running") return {};
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
  return fail(Errc::timeout, "the proxy does not end");
}

Status EngineWorld::start_proxy() { return calls_->engine().start(config_.proxy); }

Result<std::vector<Target>> EngineWorld::targets() {
  const auto lure = TRY(calls_->engine().inspect("berth-conformance-lure-" + run_));
  std::vector<Target> targets = {{"another container", docker::address_on(lure, bridge()), kLurePort}};
  auto addresses = Lure::addresses();
  if (addresses.size() > kMostAddresses) addresses.resize(kMostAddresses);
  for (const auto& address : addresses) {
    targets.push_back({"the machine", address, lure_->port()});
    targets.push_back({"the machine", address, lure_->port(), Target::Kind::udp,
                       [this](const std::string& text) { return lure_->got(text); }});
    for (const auto& port : lure.summary.ports)
      if (port.host_port > 0) targets.push_back({"a published port", address, port.host_port});
  }
  return targets;
}

}  // namespace berth::holder::boxes::conformance
