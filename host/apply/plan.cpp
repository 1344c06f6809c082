#include "host/apply/plan.h"

#include <algorithm>

namespace berth::host::apply {
namespace {

// What others stand on comes first.
constexpr std::string_view kOrder[] = {"package", "user", "file", "json", "service", "process", "container"};

std::ptrdiff_t rank(std::string_view type) { return std::ranges::find(kOrder, type) - std::begin(kOrder); }

void sort_by_rank(std::vector<Item>& items) {
  std::ranges::stable_sort(items, {}, [](const Item& item) { return rank(item.type->name); });
}

Result<Item> item_of(const Record& record, const Types& types) {
  const auto* type = types(record.type);
  if (type == nullptr)
    return fail(Errc::failed,
                "record " + record.id + " is of type " + record.type + ", which this release does not know");
  return Item{record.id, record.module, type, record.declared};
}

bool has_item(const Plan& plan, std::string_view id) {
  return std::ranges::any_of(plan.items, [&](const Item& item) { return item.id == id; });
}

bool goes(const Plan& plan, std::string_view id) {
  return std::ranges::any_of(plan.give_back, [&](const Record& record) { return record.id == id; });
}

bool same(const Record& a, const Record& b) { return a.document() == b.document(); }

Item item_of(const Resource& resource) {
  return {resource.id, resource.module, resource.type, resource.declared};
}

}  // namespace

Result<Plan> plan_of_restore(std::string_view undone, std::string_view by_push, const Records& records,
                             const Types& types) {
  Plan plan;
  plan.push_id = by_push;
  plan.restores = undone;
  for (auto& touched : TRY(records.before_push(undone))) {
    auto now = TRY(records.find(touched.id));
    if (!touched.before) {
      if (now) plan.give_back.push_back(std::move(*now));
      continue;
    }
    if (now && same(*now, *touched.before)) continue;
    auto item = TRY(item_of(*touched.before, types));
    item.exact = std::move(touched.before);
    plan.items.push_back(std::move(item));
  }
  sort_by_rank(plan.items);
  return plan;
}

Result<Plan> plan_of_push(const Push& push, const Records& records, const Types& types) {
  Plan plan;
  if (!push.restores.empty()) plan = TRY(plan_of_restore(push.restores, push.push_id, records, types));
  plan.push_id = push.push_id;
  plan.whole = push.whole();
  plan.expect = push.expect;
  // Reversed: what was listed, and so made, last goes first.
  for (auto id = push.give_back.rbegin(); id != push.give_back.rend(); ++id) {
    auto record = TRY(records.find(*id));
    if (record && !goes(plan, *id) && !has_item(plan, *id)) plan.give_back.push_back(std::move(*record));
  }
  for (const auto& resource : push.resources) {
    if (!goes(plan, resource.id) && !has_item(plan, resource.id)) plan.items.push_back(item_of(resource));
  }
  return plan;
}

Result<Plan> plan_of_records(const Records& records, const Types& types) {
  Plan plan;
  for (auto& record : TRY(records.all())) {
    if (record.carried()) continue;
    if (record.state == "giving_back") {
      plan.give_back.push_back(std::move(record));
    } else {
      plan.items.push_back(TRY(item_of(record, types)));
    }
  }
  sort_by_rank(plan.items);
  return plan;
}

Status add_carried(Plan& plan, const Records& records, const Types& types) {
  std::vector<Item> carried;
  for (const auto& record : TRY(records.all())) {
    if (!record.carried()) continue;
    auto item = TRY(item_of(record, types));
    const bool taken =
        std::ranges::any_of(plan.items, [&](const Item& other) { return other.target() == item.target(); });
    if (!taken) carried.push_back(std::move(item));
  }
  sort_by_rank(carried);
  plan.items.insert(plan.items.begin(), carried.begin(), carried.end());
  return {};
}

}  // namespace berth::host::apply
