#include <algorithm>

#include "holder/boxes/docker/docker_runtime.h"

namespace berth::holder::boxes::docker {
namespace {

/// "registry:5000/box" of "registry:5000/box:1" and of "registry:5000/box@sha256:…".
std::string repository_of(const std::string& reference) {
  const auto plain = reference.substr(0, reference.find('@'));
  const auto slash = plain.rfind('/');
  const auto colon = plain.rfind(':');
  const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return tagged ? plain.substr(0, colon) : plain;
}

/// Was pulled for this repository, and another has its tag now.
bool is_older(const engine::BoxCalls::ImageRow& row, const std::string& repository,
              const std::string& before) {
  if (!row.tags.empty()) return false;
  return row.id == before || std::ranges::any_of(row.digests, [&](const auto& digest) {
           return digest.starts_with(repository + "@");
         });
}

}  // namespace

Result<std::string> DockerRuntime::image_of(const BoxId& box) {
  const auto found = TRY(recorded(*TRY(calls()), Place::of(box)));
  if (!found) return fail(Errc::not_found, "box " + box.text() + " is not made");
  return found->summary.image_id;
}

Status DockerRuntime::ensure_image() {
  const auto open = TRY(calls());
  if (config_.pull_policy == "always") return open->pull(config_.image);
  const auto found = open->engine().image(config_.image);
  if (found) return {};
  if (found.error().code != Errc::not_found || config_.pull_policy == "never") return found.error();
  return open->pull(config_.image);
}

Result<bool> DockerRuntime::refresh_image() {
  const auto open = TRY(calls());
  if (config_.pull_policy == "never") return false;
  const auto before = open->engine().image(config_.image);
  if (!before && before.error().code != Errc::not_found) return before.error();
  TRY(open->pull(config_.image));
  const auto now = TRY(open->engine().image(config_.image));
  const auto had = before ? before->id : std::string{};
  TRY(remove_older_images(*open, had, now.id));
  return had != now.id;
}

/// One that a box still uses stays, and goes with a later refresh.
Status DockerRuntime::remove_older_images(engine::BoxCalls& calls, const std::string& before,
                                          const std::string& now) {
  const auto repository = repository_of(config_.image);
  for (const auto& row : TRY(calls.images())) {
    if (row.id == now || !is_older(row, repository, before)) continue;
    const auto removed = calls.remove_image(row.id);
    const bool in_use = !removed && removed.error().code != Errc::engine_unreachable;
    if (!removed && !in_use) return removed.error();
  }
  return {};
}

Result<Facts> DockerRuntime::deployment_images() {
  const auto open = TRY(calls());
  const auto image = TRY(open->engine().image(config_.image));
  const auto gate = TRY(proxy(*open));
  return Facts{{"box", image.id}, {"proxy", gate.summary.image_id}};
}

}  // namespace berth::holder::boxes::docker
