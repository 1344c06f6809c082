#include <algorithm>
#include <map>
#include <set>

#include "base/fields.h"
#include "base/json.h"
#include "holder/policy/prunable.h"
#include "holder/verbs/page.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

using engine::ImageRow;
using engine::Summary;
using Users = std::map<std::string, std::vector<const Summary*>>;

Users users_of(const std::vector<Summary>& containers) {
  Users users;
  for (const auto& container : containers) users[container.image_id].push_back(&container);
  return users;
}

bool is_wanted(const std::string& which, bool dangling, bool used) {
  if (which == "dangling") return dangling;
  if (which == "used") return used;
  return which == "all" || !used;
}

Json image_document(const ImageRow& image, bool dangling, const std::vector<const Summary*>& users) {
  Json containers = Json::array();
  for (const auto* user : users) containers.push_back(container_reference(*user));
  return {{"id", image.id},
          {"tags", image.tags},
          {"digests", image.digests},
          {"size_bytes", image.size_bytes},
          {"created_at", image.created_at.empty() ? Json() : Json(image.created_at)},
          {"dangling", dangling},
          {"containers", std::move(containers)}};
}

}  // namespace

Result<Json> images(Session& session, const Json& params) {
  Fields fields{params, ""};
  const auto which = fields.one_of("which", {"all", "dangling", "unused", "used"}, "all");
  TRY(fields.finish());
  // The containers last: one made meanwhile shows its image as used, never the other way round.
  auto all = TRY(session.engine.images());
  const auto containers = TRY(session.engine.list());
  const auto users = users_of(containers);
  const auto layers = policy::images_of_builds(all);
  std::erase_if(all, [&](const ImageRow& image) { return layers.contains(image.id); });
  std::ranges::stable_sort(all, std::greater{}, &ImageRow::size_bytes);
  Page page{session.max_reply};
  std::size_t total = 0;
  for (const auto& image : all) {
    const auto at = users.find(image.id);
    const auto own = at == users.end() ? std::vector<const Summary*>{} : at->second;
    const bool dangling = image.tags.empty() && own.empty();
    if (!is_wanted(which, dangling, !own.empty())) continue;
    ++total;
    page.add(image_document(image, dangling, own));
  }
  return std::move(page).answer("images", total);
}

}  // namespace berth::holder::verbs
