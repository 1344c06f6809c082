#include "holder/policy/prunable.h"

#include <algorithm>
#include <map>

namespace berth::holder::policy {
namespace {

using engine::ImageRow;

/// Whose labels say that somebody else looks after a container, and takes it away when it is time.
constexpr std::pair<std::string_view, std::string_view> kKeepers[] = {
    {"boxes.", "the boxes of this machine"},
    {"io.kubernetes.", "Kubernetes"},
    {"com.hashicorp.nomad.", "Nomad"},
    {"com.docker.swarm.", "a swarm"},
};

/// "" where nobody does.
std::string_view other_keeper(const engine::Summary& container) {
  for (const auto& [prefix, keeper] : kKeepers) {
    const auto first = container.labels.lower_bound(std::string{prefix});
    if (first != container.labels.end() && first->first.starts_with(prefix)) return keeper;
  }
  return {};
}

/// How many images were built right on this one.
std::map<std::string, std::size_t> children_of(const std::vector<ImageRow>& images) {
  std::map<std::string, std::size_t> children;
  for (const auto& image : images) {
    if (!image.parent.empty()) ++children[image.parent];
  }
  return children;
}

}  // namespace

std::vector<MayDiscard> dangling_images(const std::vector<ImageRow>& images,
                                        const std::vector<engine::Summary>& containers) {
  std::set<std::string> used;
  for (const auto& container : containers) used.insert(container.image_id);
  auto children = children_of(images);
  std::vector<MayDiscard> found;
  std::set<std::string> taken;
  for (bool again = true; again;) {  // a parent follows once its last child is taken
    again = false;
    for (const auto& image : images) {
      if (!image.tags.empty() || used.contains(image.id) || children[image.id] > 0) continue;
      if (!taken.insert(image.id).second) continue;
      found.push_back(MayDiscard{image.id, image.size_bytes});
      if (!image.parent.empty()) --children[image.parent];
      again = true;
    }
  }
  return found;
}

std::vector<MayDiscard> idle_build_records(const std::vector<engine::BuildRecord>& records) {
  std::vector<MayDiscard> found;
  for (const auto& record : records) {
    if (!record.in_use) found.push_back(MayDiscard{record.id, record.size_bytes});
  }
  return found;
}

Result<MayDestroy> may_prune(const engine::Summary& container) {
  const bool ended = container.state == "exited" || container.state == "dead";
  if (!ended) return fail(Errc::conflict, container.name + " is " + container.state);
  if (const auto keeper = other_keeper(container); !keeper.empty())
    return fail(Errc::conflict, container.name + " is kept by " + std::string{keeper});
  return may_remove(client::Asker::bus, container);
}

std::set<std::string> images_of_builds(const std::vector<ImageRow>& images) {
  const auto children = children_of(images);
  std::set<std::string> steps;
  for (const auto& image : images) {
    if (image.tags.empty() && image.digests.empty() && children.contains(image.id)) steps.insert(image.id);
  }
  return steps;
}

}  // namespace berth::holder::policy
