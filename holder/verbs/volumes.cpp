#include <algorithm>
#include <map>

#include "base/fields.h"
#include "base/json.h"
#include "holder/verbs/page.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

using engine::VolumeRow;
using Sizes = std::map<std::string, std::optional<std::int64_t>>;

Result<Sizes> sizes_of(Session& session) {
  Sizes sizes;
  for (const auto& row : TRY(session.engine.disk_usage()).volumes) sizes.emplace(row.id, row.size_bytes);
  return sizes;
}

/// Who mounts it; `held` becomes true if one of them is.
Json mounters(const VolumeRow& volume, const std::vector<engine::Summary>& containers, bool& held) {
  Json found = Json::array();
  for (const auto& container : containers) {
    for (const auto& mount : container.mounts) {
      if (mount.type != "volume" || mount.source != volume.name) continue;
      auto row = container_reference(container);
      row["target"] = mount.target;
      row["read_only"] = mount.read_only;
      held = held || container.mesh_held();
      found.push_back(std::move(row));
    }
  }
  return found;
}

Json volume_document(const VolumeRow& volume, const std::vector<engine::Summary>& containers,
                     const std::optional<Sizes>& sizes) {
  Json row = {{"name", volume.name},
              {"driver", volume.driver},
              {"created_at", volume.created_at.empty() ? Json() : Json(volume.created_at)},
              {"anonymous", volume.anonymous}};
  put_holder_label(row, volume.labels);
  bool held = row["mesh_held"];
  row["containers"] = mounters(volume, containers, held);
  row["mesh_held"] = held;
  if (!sizes) return row;
  const auto size = sizes->find(volume.name);
  row["size_bytes"] = size != sizes->end() && size->second ? Json(*size->second) : Json();
  return row;
}

}  // namespace

Result<Json> volumes(Session& session, const Json& params) {
  Fields fields{params, ""};
  const bool with_sizes = fields.boolean("sizes", false);
  TRY(fields.finish());
  auto found = TRY(session.engine.volumes());
  const auto containers = TRY(session.engine.list());
  const auto sizes = with_sizes ? std::optional{TRY(sizes_of(session))} : std::nullopt;
  std::ranges::sort(found, {}, &VolumeRow::name);
  Page page{session.max_reply};
  for (const auto& volume : found) {
    if (!page.add(volume_document(volume, containers, sizes))) break;
  }
  return std::move(page).answer("volumes", found.size());
}

}  // namespace berth::holder::verbs
