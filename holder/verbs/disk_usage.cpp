#include <algorithm>
#include <map>

#include "base/fields.h"
#include "base/json.h"
#include "holder/verbs/page.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

using engine::DiskUsage;
constexpr std::size_t kLargest = 10;

/// One kind of thing: how many, how many of them in use, what they take and what of it could be had back.
class Kind {
 public:
  void add(const std::string& id, Json what, std::optional<std::int64_t> size, bool active) {
    ++total_;
    active_ += active ? 1 : 0;
    uncounted_ += size ? 0 : 1;
    bytes_ += size.value_or(0);
    reclaimable_ += active ? 0 : size.value_or(0);
    rows_.emplace_back(size.value_or(-1), Json{{"id", id}, {"size_bytes", size ? Json(*size) : Json()}});
    rows_.back().second.update(what);
  }
  /// What they share is counted once.
  void all_take(std::int64_t bytes, std::int64_t reclaimable) {
    bytes_ = bytes;
    reclaimable_ = reclaimable;
  }
  Json document() && {
    std::ranges::stable_sort(rows_, std::greater{}, &std::pair<std::int64_t, Json>::first);
    Json largest = Json::array();
    for (auto& [size, row] : rows_) {
      if (largest.size() < kLargest) largest.push_back(std::move(row));
    }
    const bool none = total_ > 0 && uncounted_ == total_;
    return {{"total", total_},
            {"active", active_},
            {"size_bytes", none ? Json() : Json(bytes_)},
            {"reclaimable_bytes", none ? Json() : Json(reclaimable_)},
            {"uncounted", uncounted_},
            {"largest", std::move(largest)}};
  }

 private:
  std::int64_t total_ = 0, active_ = 0, uncounted_ = 0, bytes_ = 0, reclaimable_ = 0;
  std::vector<std::pair<std::int64_t, Json>> rows_;
};

Json usage_of_images(const DiskUsage& usage, const std::vector<engine::ImageRow>& images,
                     const std::vector<engine::Summary>& containers) {
  Kind kind;
  std::int64_t used = 0;
  for (const auto& row : usage.images) {
    const auto image = std::ranges::find(images, row.id, &engine::ImageRow::id);
    const bool active = std::ranges::find(containers, row.id, &engine::Summary::image_id) != containers.end();
    if (active) used += row.size_bytes.value_or(0) - row.shared_bytes.value_or(0);
    kind.add(row.id, {{"tags", image == images.end() ? Json::array() : Json(image->tags)}}, row.size_bytes, active);
  }
  if (usage.layers_bytes) kind.all_take(*usage.layers_bytes, std::max<std::int64_t>(0, *usage.layers_bytes - used));
  return std::move(kind).document();
}

Json usage_of_containers(const DiskUsage& usage, const std::vector<engine::Summary>& containers) {
  Kind kind;
  for (const auto& row : usage.containers) {
    const auto at = std::ranges::find(containers, row.id, &engine::Summary::id);
    if (at == containers.end()) continue;
    kind.add(row.id, container_reference(*at), row.size_bytes, at->state == "running" || at->state == "paused");
  }
  return std::move(kind).document();
}

bool is_mounted(const std::string& volume, const std::vector<engine::Summary>& containers) {
  return std::ranges::any_of(containers, [&](const engine::Summary& container) {
    return std::ranges::any_of(container.mounts, [&](const engine::Mount& mount) {
      return mount.type == "volume" && mount.source == volume;
    });
  });
}

Json usage_of_volumes(const DiskUsage& usage, const std::vector<engine::Summary>& containers) {
  Kind kind;
  for (const auto& row : usage.volumes) kind.add(row.id, Json::object(), row.size_bytes, is_mounted(row.id, containers));
  return std::move(kind).document();
}

Json usage_of_builds(const DiskUsage& usage) {
  Kind kind;
  for (const auto& record : usage.build) {
    const Json what = {{"kind", record.kind},
                       {"what", record.what},
                       {"last_used_at", record.last_used_at.empty() ? Json() : Json(record.last_used_at)}};
    kind.add(record.id, what, record.size_bytes, record.in_use || record.shared);
  }
  return std::move(kind).document();
}

}  // namespace

Result<Json> disk_usage(Session& session, const Json& params) {
  Fields fields{params, ""};
  TRY(fields.finish());
  const auto usage = TRY(session.engine.disk_usage());
  const auto images = TRY(session.engine.images());
  const auto containers = TRY(session.engine.list());
  return Json{{"images", usage_of_images(usage, images, containers)},
              {"containers", usage_of_containers(usage, containers)},
              {"volumes", usage_of_volumes(usage, containers)},
              {"build_cache", usage_of_builds(usage)}};
}

}  // namespace berth::holder::verbs
