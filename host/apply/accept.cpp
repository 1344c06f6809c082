#include "host/apply/accept.h"

#include <algorithm>
#include <set>

#include "host/apply/seat.h"

namespace berth::host::apply {
namespace {

constexpr std::string_view kTokenSetting = "token";

Error refuse(std::string field, std::string why, Errc code = Errc::bad_request) {
  return fail_field(code, std::move(field), std::move(why));
}

Result<std::int64_t> highest_token(store::Store& store) {
  const auto kept = TRY(document_setting(store, kTokenSetting));
  return kept.is_number_integer() ? kept.get<std::int64_t>() : 0;
}

Status judge_identity(const Push& push, const Site& site) {
  const auto& config = site.config;
  if (push.fleet != config.fleet)
    return refuse("fleet", "this machine is of fleet " + config.fleet + ", not " + push.fleet);
  if (push.machine != config.machine) {
    return refuse("machine", "this machine is " + config.machine + ", not " + push.machine);
  }
  if (push.machine_id != site.machine_id) {
    return refuse("machine_id", config.machine + " has machine-id " + site.machine_id + ", the push is for " +
                                    push.machine_id);
  }
  return {};
}

Status judge_order(const Push& push, store::Store& store, const Site& site) {
  if (const auto token = TRY(highest_token(store)); push.token < token) {
    return refuse("token",
                  "a runner with token " + std::to_string(token) + " was here; this one has " +
                      std::to_string(push.token),
                  Errc::stale);
  }
  const auto newest = TRY(Pushes(store, site.config.machine).newest());
  if (newest && push.sequence <= newest->sequence) {
    return refuse("sequence",
                  "sequence " + std::to_string(newest->sequence) + " was accepted; this push has " +
                      std::to_string(push.sequence),
                  Errc::stale);
  }
  return {};
}

bool declares(const Push& push, std::string_view id) {
  return std::ranges::any_of(push.resources, [&](const Resource& r) { return r.id == id; });
}

bool gives_back(const Push& push, std::string_view id) {
  return std::ranges::find(push.give_back, id) != push.give_back.end();
}

/// Every declared record of the machine is named, and nothing is given back that is not a module's record.
Status judge_records(const Push& push, const std::vector<Record>& records,
                     const std::set<std::string>& restored) {
  for (const auto& record : records) {
    if (record.carried() && gives_back(push, record.id)) {
      return refuse("give_back", record.id + " is carried by the bundle; no push gives it back");
    }
    if (record.carried() || declares(push, record.id) || gives_back(push, record.id) ||
        restored.contains(record.id))
      continue;
    return refuse("give_back", "record " + record.id + " is neither declared nor given back");
  }
  for (const auto& id : push.give_back) {
    const bool known = std::ranges::any_of(records, [&](const Record& r) { return r.id == id; });
    if (!known && !restored.contains(id))
      return refuse("give_back", "there is no record " + id + " on this machine");
  }
  return {};
}

bool is_of_engine(std::string_view type, const Json& declared, const Site& site) {
  const auto* known = site.types(type);
  if (known == nullptr) return false;
  const auto target = known->target(declared);
  return ((type == "json" || type == "file") && target == site.config.engine_file) ||
         (type == "service" && target == site.config.engine_unit);
}

/// One owner after this push: the module that claims the runtime's seat, for both the file and the unit.
Status judge_hand_over(const Push& push, const std::vector<Record>& records, const Site& site) {
  const auto owner = std::ranges::find_if(push.modules, [](const Module& m) { return m.claims_seat(kSeat); });
  if (owner == push.modules.end())
    return refuse("declaration", "a hand_over declares the module that claims " + std::string{kSeat});
  for (const auto& record : records) {
    if (record.carried() || record.module == owner->name || !is_of_engine(record.type, record.declared, site))
      continue;
    if (!gives_back(push, record.id)) {
      return refuse("give_back", "a hand_over gives back " + record.id +
                                     ": it is of the engine's file or unit and not " + owner->name + "'s");
    }
  }
  bool file = false;
  bool unit = false;
  for (const auto& resource : push.resources) {
    if (!is_of_engine(resource.type->name, resource.declared, site)) continue;
    if (resource.module != owner->name) {
      return refuse("declaration",
                    resource.id + " declares the engine's file or unit, which is " + owner->name +
                        "'s after a hand_over",
                    Errc::collision);
    }
    (resource.type->name == "service" ? unit : file) = true;
  }
  if (!file || !unit) {
    return refuse("declaration", "a hand_over declares " + owner->name + "'s record of " +
                                     (file ? site.config.engine_unit : site.config.engine_file));
  }
  return {};
}

/// berth never restarts an engine.
Status judge_on_change(const Push& push, const Site& site) {
  for (const auto& resource : push.resources) {
    const auto on_change = resource.declared.find("on_change");
    if (resource.type->name != "service" || on_change == resource.declared.end() || !on_change->is_object())
      continue;
    if (resource.type->target(resource.declared) == site.config.engine_unit &&
        on_change->value("do", Json{}) == Json("restart")) {
      return refuse(resource.id + ".on_change.do",
                    site.config.engine_unit + " is never restarted; say reload");
    }
  }
  return {};
}

Status judge_seat(const Push& push, const Site& site) {
  if (!push.seat || push.seat->empty()) return {};
  const auto machine = push.seat->value("machine", Json{});
  if (machine != Json(site.config.machine))
    return refuse("seat.machine", "the seat is of machine " + machine.dump());
  if (push.seat->value("seat", Json{}) != Json(kSeat))
    return refuse("seat.seat", "this host knows the seat " + std::string{kSeat} + " alone");
  return {};
}

Result<std::set<std::string>> restored_by(const Push& push, store::Store& store, const Site& site) {
  std::set<std::string> ids;
  if (push.restores.empty()) return ids;
  const auto undone = TRY(Pushes(store, site.config.machine).find(push.restores));
  if (!undone)
    return refuse("restores", "push " + push.restores + " was never accepted on this machine",
                  Errc::not_found);
  for (const auto& touched : TRY(Records(store, site.config.machine).before_push(push.restores)))
    ids.insert(touched.id);
  return ids;
}

PushRow row_of(const Push& push, const Json& body) {
  PushRow row;
  row.push_id = push.push_id;
  row.machine = push.machine;
  row.sequence = push.sequence;
  row.token = push.token;
  row.kind = push.kind;
  row.body = body;
  return row;
}

Json answer_of(std::string_view push_id, std::int64_t sequence) {
  return {{"push_id", push_id}, {"accepted", true}, {"sequence", sequence}};
}

}  // namespace

Status judge(const Push& push, store::Store& store, const Site& site) {
  TRY(judge_identity(push, site));
  TRY(judge_order(push, store, site));
  TRY(judge_seat(push, site));
  TRY(judge_on_change(push, site));
  const auto records = TRY(Records(store, site.config.machine).all());
  TRY(judge_records(push, records, TRY(restored_by(push, store, site))));
  if (push.kind == "hand_over") TRY(judge_hand_over(push, records, site));
  return {};
}

Result<Accepted> accept(const Json& body, store::Store& store, const Site& site) {
  const auto push = TRY(parse_push(body, site.types));
  Pushes pushes(store, site.config.machine);
  Accepted accepted;
  TRY(store.transaction([&]() -> Status {
    if (const auto known = TRY(pushes.find(push.push_id))) {
      accepted.answer = answer_of(known->push_id, known->sequence);
      return {};
    }
    TRY(judge(push, store, site));
    TRY(pushes.accept(row_of(push, body)));
    TRY(set_document_setting(store, kTokenSetting, push.token));
    // What a back-out puts back; the file follows when the push is run.
    TRY(pushes.set_fact("seat_before", push.push_id, TRY(stored_seat(store))));
    if (push.seat) TRY(keep_seat(store, site, *push.seat));
    accepted.answer = answer_of(push.push_id, push.sequence);
    accepted.is_new = true;
    return {};
  }));
  return accepted;
}

}  // namespace berth::host::apply
