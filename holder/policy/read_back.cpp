#include "holder/policy/read_back.h"

#include <algorithm>

#include "base/json.h"
#include "holder/client/spec_words.h"

namespace berth::holder::policy {
namespace {

using client::ContainerSpec;
using engine::Inspected;

Status differs(const std::string& what) {
  return fail(Errc::engine_refused, "the engine made another container than was asked for: " + what);
}

const Json& member(const Json& object, const char* key) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto at = object.find(key);
  return at == object.end() ? kNothing : *at;
}

Status compare_labels(const ContainerSpec& composed, const engine::Engine::Image& image,
                      const Inspected& made) {
  auto expected = image.labels;
  for (const auto& [key, value] : composed.labels) expected[key] = value;
  if (made.summary.labels == expected) return {};
  for (const auto& [key, value] : made.summary.labels) {
    const auto at = expected.find(key);
    if (at == expected.end() || at->second != value) return differs("label " + key);
  }
  return differs("a label is missing");
}

bool is_expected(const engine::Mount& mount, const ContainerSpec& composed,
                 const engine::Engine::Image& image) {
  for (const auto& asked : composed.volumes) {
    if (asked.target != mount.target) continue;
    return asked.type == mount.type && asked.read_only == mount.read_only &&
           (mount.type == "tmpfs" || asked.source == mount.source);
  }
  return mount.type == "volume" && std::ranges::find(image.volumes, mount.target) != image.volumes.end();
}

Status compare_mounts(const ContainerSpec& composed, const engine::Engine::Image& image,
                      const Inspected& made) {
  for (const auto& mount : made.summary.mounts) {
    if (!is_expected(mount, composed, image)) return differs("mount at " + mount.target);
  }
  for (const auto& asked : composed.volumes) {
    // A tmpfs is no row of every engine's list of mounts.
    if (asked.type != "tmpfs" && std::ranges::find(made.summary.mounts, asked.target,
                                                   &engine::Mount::target) == made.summary.mounts.end()) {
      return differs("no mount at " + asked.target);
    }
  }
  return {};
}

Status compare_networks(const ContainerSpec& composed, const Inspected& made) {
  const auto expected = !composed.network_mode.empty() ? composed.network_mode
                        : composed.networks.empty()    ? std::string{"bridge"}
                                                       : composed.networks.front().name;
  const auto& mode = member(member(*made.document, "HostConfig"), "NetworkMode");
  // Podman says "bridge" for a network of that driver: which one it is, is in its list.
  const bool one_of_ours = !composed.networks.empty() && mode == "bridge" &&
                           std::ranges::find(made.summary.networks, expected) != made.summary.networks.end();
  if (mode != expected && !one_of_ours) return differs("its network mode");
  for (const auto& network : made.summary.networks) {
    const bool asked =
        std::ranges::find(composed.networks, network, &client::NetworkJoin::name) != composed.networks.end();
    // Podman calls its default network "podman".
    const bool plain = network == expected || (expected == "bridge" && network == "podman");
    if (!asked && !plain) return differs("network " + network);
  }
  return {};
}

Status compare_rights(const ContainerSpec& composed, const Inspected& made) {
  const auto& host = member(*made.document, "HostConfig");
  if (const auto& privileged = member(host, "Privileged"); privileged != Json(composed.privileged))
    return differs("privileged");
  // An engine may leave out of the list what dropping everything and adding it back comes to, never put in.
  for (const auto& added : member(host, "CapAdd")) {
    const auto name = client::capability(added.is_string() ? added.get<std::string>() : "?");
    if (std::ranges::find(composed.cap_add, name) == composed.cap_add.end())
      return differs("capability " + name);
  }
  return {};
}

}  // namespace

Status judge_read_back(const ContainerSpec& composed, const engine::Engine::Image& image,
                       const Inspected& made) {
  if (!made.document) return differs("it cannot be read");
  TRY(compare_labels(composed, image, made));
  TRY(compare_mounts(composed, image, made));
  TRY(compare_networks(composed, made));
  return compare_rights(composed, made);
}

}  // namespace berth::holder::policy
