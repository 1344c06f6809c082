#include "base/json.h"
#include "holder/boxes/docker/docker_runtime.h"

// Which container is whose, and what the engine says of it.
namespace berth::holder::boxes::docker {
namespace {

const Json& endpoint_of(const engine::Inspected& container, std::string_view network) {
  static const Json kNone = Json::object();
  const auto& document = *container.document;
  const auto settings = document.find("NetworkSettings");
  if (settings == document.end() || !settings->is_object()) return kNone;
  const auto networks = settings->find("Networks");
  if (networks == settings->end() || !networks->is_object()) return kNone;
  const auto at = networks->find(network);
  return at == networks->end() || !at->is_object() ? kNone : *at;
}

}  // namespace

bool runs(const engine::Inspected& container) { return container.summary.state == "running"; }

bool joined(const engine::Inspected& container, const engine::NetworkFacts& network) {
  const auto& endpoint = endpoint_of(container, network.name);
  const auto id = endpoint.value("NetworkID", std::string{});
  // Podman says the name; Docker says nothing of a container that was never started.
  return !endpoint.empty() && (id.empty() || id == network.id || id == network.name);
}

std::string address_on(const engine::Inspected& container, const std::string& network) {
  return endpoint_of(container, network).value("IPAddress", std::string{});
}

DockerRuntime::DockerRuntime(BoxesConfig config, EngineAt engine, Ledger& ledger, Seam& seam)
    : config_(std::move(config)), engine_(std::move(engine)), ledger_(ledger), seam_(seam) {}

std::unique_ptr<Runtime> make_docker(const BoxesConfig& config, const EngineAt& engine, Ledger& ledger,
                                     Seam& seam) {
  return std::make_unique<DockerRuntime>(config, engine, ledger, seam);
}

/// Opened when it is first needed: the runtime is there before the engine is.
Result<DockerRuntime::Calls> DockerRuntime::calls() {
  if (auto open = calls_.with([](const auto& now) { return now; })) return open;
  Calls made = TRY(engine::BoxCalls::open(engine_.socket, engine_.kind, seam_));
  calls_.with([&](auto& now) { now = made; });
  return made;
}

Result<DockerRuntime::Found> DockerRuntime::named(engine::BoxCalls& calls, const std::string& name) {
  auto seen = calls.engine().inspect(name);
  if (!seen && seen.error().code == Errc::not_found) return Found{};
  auto container = TRY(std::move(seen));
  return container.summary.name == name ? Found{std::move(container)} : Found{};
}

Result<DockerRuntime::Found> DockerRuntime::recorded(engine::BoxCalls& calls, const Place& place) {
  const auto id = TRY(ledger_.recorded(place));
  if (!id) return Found{};
  auto seen = calls.engine().inspect(*id);
  if (!seen && seen.error().code == Errc::not_found) return Found{};
  return Found{TRY(std::move(seen))};
}

Result<std::string> DockerRuntime::running_container(engine::BoxCalls& calls, const Place& place) {
  const auto what = std::string{place.kind == Place::Kind::box ? "box " : "login "} + place.id;
  const auto found = TRY(recorded(calls, place));
  if (!found) return fail(Errc::not_found, what + ": no container is recorded as its own");
  if (!runs(*found)) return fail(Errc::conflict, what + " does not run: it is " + found->summary.state);
  return found->summary.id;
}

}  // namespace berth::holder::boxes::docker
