// The judgements that are no rows of the cases file: images, grants, what is forced.
#include "base/error.h"
#include "base/json.h"
#include "catch.h"
#include "holder/policy/forced.h"
#include "holder/policy/grants.h"
#include "holder/policy/image.h"

using namespace berth;
using namespace berth::holder;
using namespace berth::holder::policy;

namespace {

using Words = std::vector<std::string>;

std::string judged(const engine::Engine::Image& image, const client::ContainerSpec& spec = {}) {
  const auto status = judge_image(image, spec);
  return status ? "ok" : std::string{error_row(status.error().code).name} + " " + status.error().field;
}

engine::Engine::Image running(const Words& entrypoint, const Words& command) {
  engine::Engine::Image image;
  image.entrypoint = entrypoint;
  image.command = command;
  return image;
}

client::ContainerSpec asking(std::optional<Words> entrypoint, std::optional<Words> command) {
  client::ContainerSpec spec;
  spec.entrypoint = std::move(entrypoint);
  spec.command = std::move(command);
  return spec;
}

}  // namespace

TEST_CASE("an init system is refused wherever the command comes from", "[policy]") {
  const std::string refused_image = "refused_root_equivalent image", refused_command = "refused_root_equivalent command";
  CHECK(judged(running({}, {"/sbin/init"})) == refused_image);
  CHECK(judged(running({"/lib/systemd/systemd"}, {})) == refused_image);
  CHECK(judged(running({"/bin/sh", "-c"}, {"exec /usr/sbin/init"})) == refused_image);
  CHECK(judged(running({}, {"sh"}), asking({}, Words{"/sbin/init"})) == refused_command);
  CHECK(judged(running({}, {"sh"}), asking(Words{"/usr/lib/systemd/systemd"}, {})) == refused_command);
  CHECK(judged(running({}, {"sh"}), asking(Words{"/bin/sh", "-c", "  exec  /sbin/init; x"}, {})) == refused_command);
  CHECK(judged(running({}, {"/sbin/init"}), asking(Words{}, {})) == refused_command);
  // An entrypoint of the spec's own puts the image's command aside.
  CHECK(judged(running({}, {"/sbin/init"}), asking(Words{"sleep", "1"}, {})) == "ok");
  CHECK(judged(running({}, {"/sbin/init"}), asking({}, Words{"sh"})) == "ok");
  CHECK(judged(running({"/app"}, {"/sbin/init"})) == "ok");
  CHECK(judged(running({}, {"/sbin/initialise"})) == "ok");
  CHECK(judged(running({}, {})) == "ok");
}

TEST_CASE("an image's labels and volumes may not do what its caller may not", "[policy]") {
  engine::Engine::Image image;
  image.labels = {{"maintainer", "y"}, {"traefik.enable", "true"}};
  image.volumes = {"/data"};
  CHECK(judged(image) == "ok");
  for (const auto* label : {"Mesh-Host.ID", "mesh-holder.caller", "mesh.anything", "mesh-host.x"}) {
    auto labelled = image;
    labelled.labels[label] = "x";
    CHECK(judged(labelled) == "bad_request image");
  }
  for (const auto* volume : {"/proc", "/etc:/h", "/run/../etc", "/sys/fs", "relative"}) {
    auto other = image;
    other.volumes.push_back(volume);
    CHECK(judged(other) == "bad_request image");
  }
}

TEST_CASE("what is forced stays within the bounds, and what was asked for stays", "[policy]") {
  client::BusBounds bounds;
  bounds.memory = 64 << 20;
  bounds.nano_cpus = 100'000'000;
  bounds.pids = 16;
  const auto spec = forced_for_bus({}, "alice", bounds);
  CHECK(spec.mem_limit == 64 << 20);
  CHECK(spec.shm_size == 64 << 20);
  CHECK(spec.nano_cpus == 100'000'000);
  CHECK(spec.pids_limit == 16);
  client::ContainerSpec asked;
  asked.mem_limit = 32 << 20;
  asked.cap_drop = {"ALL"};
  asked.network_mode = "none";
  asked.labels = {{"app.a", "b"}};
  const auto kept = forced_for_bus(asked, "alice", {});
  CHECK(kept.mem_limit == 32 << 20);
  CHECK(kept.shm_size == 32 << 20);
  CHECK(kept.cap_drop.front() == "ALL");
  CHECK(kept.network_mode == "none");
  CHECK(kept.labels == std::map<std::string, std::string>{{"app.a", "b"}, {"mesh-holder.caller", "alice"}});
  asked.network_mode.clear();
  asked.networks = {{"app-net", {}}};
  CHECK(forced_for_bus(asked, "alice", {}).network_mode.empty());
}

TEST_CASE("grants are read strictly", "[policy]") {
  const auto refused = [](const char* text) {
    const auto grants = Grants::parse(Json::parse(text), "seat.json: grants");
    return grants ? std::string{"ok"} : grants.error().field;
  };
  CHECK(refused("[]") == "ok");
  CHECK(refused("{}") == "seat.json: grants");
  CHECK(refused(R"([{"caller": "a", "verbs": ["*"], "class": "read"}])") == "ok");
  CHECK(refused(R"([{"caller": "a", "verbs": ["*"], "class": "write"}])") == "seat.json: grants[0].class");
  CHECK(refused(R"([{"caller": "a", "verbs": "list", "class": "read"}])") == "seat.json: grants[0].verbs");
  CHECK(refused(R"([{"caller": "a.*", "verbs": [], "class": "read"}])") == "caller name");
  CHECK(refused(R"([{"caller": "a", "verbs": [], "class": "read", "machine": "x"}])") == "seat.json: grants[0].machine");
}
