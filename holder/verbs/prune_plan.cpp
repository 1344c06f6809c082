#include "holder/verbs/prune_plan.h"

#include "base/json.h"

namespace berth::holder::verbs {
namespace {

constexpr std::size_t kMostAtOnce = 500;  // of a kind, in one call: the rest is the next call's

std::set<std::string> id_set(Fields& fields, std::string_view key) {
  const auto list = fields.texts(key);
  return {list.begin(), list.end()};
}

template <class Row>
void keep_first(std::vector<Row>& rows) {
  if (rows.size() > kMostAtOnce) rows.erase(rows.begin() + kMostAtOnce, rows.end());
}

template <class Row, class Id>
void keep_named(std::vector<Row>& rows, const std::set<std::string>& names, Id id) {
  std::erase_if(rows, [&](const Row& row) { return !names.contains(id(row)); });
}

}  // namespace

Result<PrunePlan> PrunePlan::parse(const Json& document) {
  Fields fields{document, "plan"};
  PrunePlan plan{id_set(fields, "images"), id_set(fields, "build_cache"), id_set(fields, "containers")};
  TRY(fields.finish());
  return plan;
}

Json PrunePlan::document() const {
  return {{"images", images}, {"build_cache", build_cache}, {"containers", containers}};
}

Result<Prunable> Prunable::find(Session& session, bool containers) {
  Prunable found;
  // The containers last: an image that one made meanwhile uses is seen as used.
  const auto images = TRY(session.engine.images());
  const auto usage = session.engine.disk_usage();
  // Counting is slow on a large machine and one at a time: then the cache is the next call's.
  if (!usage && usage.error().code != Errc::busy) return usage.error();
  auto all = TRY(session.engine.list());
  found.images = policy::dangling_images(images, all);
  if (usage) found.build_cache = policy::idle_build_records(usage->build);
  std::erase_if(all, [&](const engine::Summary& c) { return !containers || !policy::may_prune(c); });
  found.containers = std::move(all);
  keep_first(found.images);
  keep_first(found.build_cache);
  keep_first(found.containers);
  return found;
}

void Prunable::keep_only(const PrunePlan& plan) {
  const auto of_right = [](const policy::MayDiscard& may) { return may.id(); };
  keep_named(images, plan.images, of_right);
  keep_named(build_cache, plan.build_cache, of_right);
  keep_named(containers, plan.containers, [](const engine::Summary& c) { return c.id; });
}

}  // namespace berth::holder::verbs
