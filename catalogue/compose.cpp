#include "catalogue/compose.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/fields.h"
#include "base/hash.h"
#include "base/json.h"
#include "catalogue/collisions.h"
#include "catalogue/containers.h"
#include "catalogue/grants.h"
#include "catalogue/issue.h"
#include "catalogue/seats.h"
#include "catalogue/view.h"
#include "schema/queries.h"

namespace berth::catalogue {
namespace {

constexpr store::Query<std::int64_t(std::string_view)> kHighest{schema::queries::push_highest};
constexpr std::string_view kPermissions = "permissions";  // the broker module's setting and resource

std::string_view kind_name(PushKind kind) {
  switch (kind) {
    case PushKind::apply:
      return "apply";
    case PushKind::hand_over:
      return "hand_over";
    case PushKind::back_out:
      return "back_out";
  }
  return "apply";
}

/// The record of the broker's permissions, where a push of ours wrote them on this machine.
const Record* permissions_record(const FleetFacts& fleet, std::string_view machine,
                                 const std::vector<Record>& now) {
  if (fleet.bus.broker_machine != machine) return nullptr;
  const auto at =
      std::ranges::find(now, fleet.bus.broker_module + "." + std::string{kPermissions}, &Record::id);
  return at == now.end() ? nullptr : &*at;
}

/// The permissions as this push leaves them: rendered anew, as the machine's record has them, or none of the
/// push's business where no push of ours wrote the file yet.
Result<Computed> computed_for(store::Store& store, const View& view, const PushOrder& order,
                              const std::vector<Record>& now) {
  if (view.fleet.bus.broker_machine != view.machine.name) return Computed{};
  Computed computed;
  auto& permissions = computed[{view.fleet.bus.broker_module, std::string{kPermissions}}];
  if (order.new_permissions) {
    permissions = TRY(render_permissions(store));
  } else if (const auto* record = permissions_record(view.fleet, view.machine.name, now)) {
    permissions = TRY(parse_json(record->declared, record->id)).value("content", "");
  }
  return computed;
}

Json envelope(const View& view, const PushOrder& order, std::int64_t sequence,
              const std::string& composed_at) {
  Json push = {{"push_id", order.push_id.empty() ? random_hex(16) : order.push_id},
               {"fleet", view.fleet.name},
               {"machine", view.machine.name},
               {"machine_id", view.machine.machine_id},
               {"token", order.token},
               {"runner", order.runner},
               {"sequence", sequence},
               {"kind", kind_name(order.kind)},
               {"composed_at", composed_at}};
  const auto expect = [&](const char* name, const std::optional<std::string>& hash) {
    if (hash) push["expect"][name] = *hash;
  };
  expect("file", order.expect_file);
  expect("unit", order.expect_unit);
  expect("flags", order.expect_flags);
  if (!order.restores.empty()) push["restores"] = order.restores;
  if (order.confirm_s > 0) push["confirm_s"] = order.confirm_s;
  return push;
}

Result<std::int64_t> sequence_of(store::Store& store, const PushOrder& order) {
  if (order.sequence > 0) return order.sequence;
  return TRY(store.first(kHighest, order.machine)).value_or(0) + 1;
}

/// Declared records that nothing declares any more, as the machine lists them. Carried ones are never ours
/// to give back.
Json no_longer_declared(const Json& modules, const std::vector<Record>& now) {
  std::set<std::string> declared;
  for (const auto& module : modules) {
    for (const auto& resource : module["resources"]) {
      declared.insert(module["name"].get<std::string>() + "." + resource["id"].get<std::string>());
    }
  }
  Json ids = Json::array();
  for (const auto& record : now) {
    if (record.is_declared() && !declared.contains(record.id)) ids.push_back(record.id);
  }
  return ids;
}

Result<Json> finished(store::Store& store, const View& view, const PushOrder& order, Json modules,
                      const std::vector<Record>& now) {
  auto push = envelope(view, order, TRY(sequence_of(store, order)), store.now());
  push["give_back"] = no_longer_declared(modules, now);
  push["declaration"] = {{"modules", std::move(modules)}};
  if (view.seat.held) push["seat"] = TRY(seat_file(store, order.machine, view.seat.seat));
  TRY(check_push(store, push, now));
  return push;
}

/// The modules that records came from, each resource as it was declared.
Result<Json> modules_of(const View& view, const std::vector<Record>& records) {
  std::map<std::string, Json> by_name;
  for (const auto& record : records) {
    if (!record.is_declared()) continue;
    auto& module = by_name[record.module];
    if (module.is_null()) {
      Json claims = Json::array();
      if (const auto at = view.manifests.find(record.module); at != view.manifests.end()) {
        for (const auto& claim : at->second.claims) claims.push_back(claim.seat);
      }
      module = {{"name", record.module},
                {"assignment", record.module},
                {"claims", claims},
                {"resources", Json::array()}};
    }
    module["resources"].push_back(TRY(parse_json(record.declared, record.id)));
  }
  Json modules = Json::array();
  for (auto& [name, module] : by_name) modules.push_back(std::move(module));
  return modules;
}

}  // namespace

Result<Json> compose(store::Store& store, const PushOrder& order, const std::vector<Record>& now) {
  const auto view = TRY(view_of(store, order.machine));
  auto modules = TRY(resolve_machine(view, TRY(computed_for(store, view, order, now))));
  return finished(store, view, order, std::move(modules), now);
}

Result<bool> permissions_were_pushed(store::Store& store, std::string_view machine,
                                     const std::vector<Record>& now) {
  const auto fleet = TRY(imported_fleet_for(store, machine));
  return permissions_record(fleet, machine, now) != nullptr;
}

Result<Json> compose_back_out(store::Store& store, const PushOrder& order, const std::vector<Record>& now,
                              const std::vector<Record>& before) {
  const auto view = TRY(view_of(store, order.machine));
  auto modules = TRY(modules_of(view, before));
  TRY(check_containers(modules, view.seat, order.machine));
  auto back = order;
  back.kind = PushKind::back_out;
  return finished(store, view, back, std::move(modules), now);
}

}  // namespace berth::catalogue
