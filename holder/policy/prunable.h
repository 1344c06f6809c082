#pragma once
#include <set>
#include <string>
#include <vector>

#include "holder/engine/engine.h"
#include "holder/policy/held.h"

namespace berth::holder::policy {

/// The right to take away one image or one record of the build cache. Only `prunable` makes one.
class MayDiscard {
 public:
  const std::string& id() const { return id_; }
  std::int64_t size_bytes() const { return size_bytes_; }

 private:
  MayDiscard(std::string id, std::int64_t size_bytes) : id_(std::move(id)), size_bytes_(size_bytes) {}
  friend std::vector<MayDiscard> dangling_images(const std::vector<engine::ImageRow>& images,
                                                 const std::vector<engine::Summary>& containers);
  friend std::vector<MayDiscard> idle_build_records(const std::vector<engine::BuildRecord>& records);
  std::string id_;
  std::int64_t size_bytes_ = 0;
};

/// Images without a tag that no container, stopped ones included, was made of, and on which nothing that
/// stays is built. What was built on comes before what it was built on, so that they go in this order.
std::vector<MayDiscard> dangling_images(const std::vector<engine::ImageRow>& images,
                                        const std::vector<engine::Summary>& containers);

/// Records of the build cache that nobody uses at this moment.
std::vector<MayDiscard> idle_build_records(const std::vector<engine::BuildRecord>& records);

/// Errc::conflict unless it is a stray that ran and ended: one that was never started may be about to be.
Result<MayDestroy> may_prune(const engine::Summary& container);

/// The ids of images that are nothing but a step of a build: no tag, and another image on top of them.
std::set<std::string> images_of_builds(const std::vector<engine::ImageRow>& images);

}  // namespace berth::holder::policy
