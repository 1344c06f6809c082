// Step 3: the seat is seeded, its holder registered, its subjects issued, and the broker told who may do
// what.
#include <algorithm>

#include "base/hash.h"
#include "bus/subjects.h"
#include "catalogue/catalogue.h"
#include "migrate/probe.h"
#include "migrate/pushing.h"
#include "migrate/steps/steps.h"

namespace berth::migrate::steps_detail {
namespace {

using catalogue::kRuntimeSeat;

constexpr std::int64_t kConfirmSeconds = 60;

bool has_broker(const FleetDocument& fleet) { return !fleet.facts.bus.broker_machine.empty(); }
std::string permissions_push(const std::string& push_id) { return push_id + "-permissions"; }

/// The holder's own description, as its host relays it.
Result<Json> describe(Scene& scene, const std::string& machine) {
  const auto answer = TRY(scene.ask(machine, {{"what", "seat"}}));
  if (!answer.value("answering", false)) {
    auto silent = fail(Errc::holder_silent,
                       machine + "'s holder does not answer: " + answer.value("cause", "no cause given"));
    silent.seat = kRuntimeSeat;
    return silent;
  }
  return answer.at("seat");
}

/// Every verb and event of the seat, by name. The catalogue checks it again when it registers the holder.
Status serves_the_seat(const Json& seat, const std::string& machine) {
  for (const auto& wanted : TRY(catalogue::shipped_seats())) {
    if (wanted.name != kRuntimeSeat) continue;
    const auto lacks = [&](const char* list, const std::vector<std::string>& names) -> Status {
      const auto served = seat.value(list, Json::array());
      for (const auto& name : names) {
        if (std::ranges::find(served, Json(name)) == served.end()) {
          return fail(Errc::missing_verb, machine + "'s holder does not serve " + name + ", which the seat " +
                                              wanted.name + " has among its " + list);
        }
      }
      return {};
    };
    TRY(lacks("verbs", wanted.verbs));
    return lacks("events", wanted.events);
  }
  return fail(Errc::not_found, "the seat " + std::string{kRuntimeSeat} + " does not ship with this berth");
}

/// What the machines say now of themselves, read before the transaction that composes.
struct Now {
  Json status, records;
};
Result<Now> read_now(Scene& scene, const std::string& machine) {
  auto status = TRY(status_of(scene, machine));
  auto records = TRY(scene.ask(machine, {{"what", "records"}}));
  return Now{std::move(status), records.at("records")};
}

/// The push that carries the seat, or its withdrawal, to a machine; `sequence_after` where another goes
/// first.
Result<Json> compose_seat(Books& books, const Scene& scene, const std::string& machine,
                          const std::string& push_id, const Now& now, std::int64_t behind) {
  auto order = order_for(scene, machine, push_id, now.status);
  order.sequence += behind;
  // The permissions of the push before are this machine's own from then on; rendered again they are the same.
  order.new_permissions = behind > 0;
  return catalogue::compose(books.store, order, TRY(catalogue::parse_records(now.records)));
}

Result<Json> compose_permissions(Books& books, const Scene& scene, const std::string& push_id,
                                 const Now& now) {
  auto order = order_for(scene, scene.fleet.facts.bus.broker_machine, permissions_push(push_id), now.status);
  order.new_permissions = true;
  order.confirm_s = kConfirmSeconds;
  return catalogue::compose(books.store, order, TRY(catalogue::parse_records(now.records)));
}

/// A new log-in is what would fail if the new permissions had locked the operator out. The host waits for it
/// once it has written the file and signalled the broker; until then there is nothing to confirm.
Status confirm_anew(Scene& scene, const std::string& push_id) {
  const auto& broker = scene.fleet.facts.bus.broker_machine;
  const Json request = {{"what", "confirm"}, {"push_id", push_id}};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{kConfirmSeconds};
  for (int look = 0;; ++look) {
    scene.says(3, broker, "confirms the broker's permissions over a new connection");
    const auto confirmed = scene.port.ask_anew(broker, request, std::chrono::seconds{5});
    if (confirmed) return push_ended(scene, push_id);
    const auto said = ask_push(scene, broker, push_id);
    if (said && (*said)["state"] != "accepted") return push_ended(scene, push_id);
    const bool again = is_silence(confirmed.error()) || confirmed.error().code == Errc::conflict;
    if (!again || std::chrono::steady_clock::now() >= deadline || !scene.pause(look)) {
      return Error{confirmed.error()}.while_doing(
          "the broker's new permissions are not confirmed; its host gives them back");
    }
  }
}

/// The permissions first: a holder that reads its seat file subscribes at once.
Status carry_permissions(Scene& scene, const std::string& push_id) {
  if (!has_broker(scene.fleet)) return {};
  const auto state = TRY(send_push(scene, 3, permissions_push(push_id)));
  return state == "accepted" ? confirm_anew(scene, permissions_push(push_id))
                             : push_ended(scene, permissions_push(push_id));
}

/// The host has written the seat file; the holder takes it by itself.
Status wait_until_held(Scene& scene, const std::string& machine, bool held) {
  const auto deadline = std::chrono::steady_clock::now() + scene.waits.event;
  for (int look = 0;; ++look) {
    const auto answer = TRY(scene.ask(machine, {{"what", "seat"}}));
    const auto seat = answer.value("seat", Json{});
    if (answer.value("answering", false) && seat.is_object() && seat.value("held", false) == held) return {};
    if (std::chrono::steady_clock::now() >= deadline) {
      return fail(Errc::failed,
                  machine + "'s holder " +
                      (held ? "does not say that it holds the seat: " : "still holds the seat: ") +
                      answer.dump());
    }
    if (!scene.pause(look))
      return fail(Errc::timeout, "stopped while " + machine + "'s holder took the seat file");
  }
}

Status withdraw_in_store(Scene& scene, const std::string& machine) {
  return scene.books.with([&](Books& books) {
    return books.store.transaction([&] { return catalogue::withdraw(books.store, machine, kRuntimeSeat); });
  });
}

/// A seat document that is held by nobody: the host removes the seat file.
Json unheld(const FleetDocument& fleet, const std::string& machine) {
  return {{"fleet", fleet.name.text()},
          {"machine", machine},
          {"seat", kRuntimeSeat},
          {"module", nullptr},
          {"held", false},
          {"subjects", {{"read", Json::object()}, {"act", Json::object()}, {"event", Json::object()}}},
          {"stream", bus::stream_name(fleet.name, "EVENTS")},
          {"grants", Json::array()}};
}

}  // namespace

Status seed_seat_gate(Scene& scene, Work& work) {
  const auto now = TRY(read_now(scene, work.machine));
  const auto seat = TRY(describe(scene, work.machine));
  TRY(serves_the_seat(seat, work.machine));
  work.found = {{"describe", seat}, {"now", {{"status", now.status}, {"records", now.records}}}};
  const auto& broker = scene.fleet.facts.bus.broker_machine;
  if (!has_broker(scene.fleet)) return {};
  const auto there = TRY(read_now(scene, broker));
  work.found["broker"] = {{"status", there.status}, {"records", there.records}};
  return {};
}

Status seed_seat_intend(Books& books, const Scene& scene, Work& work) {
  TRY(catalogue::seed_seat(books.store, kRuntimeSeat));
  TRY(catalogue::register_holder(books.store, work.machine, kRuntimeSeat, work.found.at("describe")));
  const auto now_of = [&](const char* member) {
    return Now{work.found.at(member).at("status"), work.found.at(member).at("records")};
  };
  std::int64_t behind = 0;
  if (has_broker(scene.fleet)) {
    work.pushes.push_back(
        intended_push(TRY(compose_permissions(books, scene, work.push_id, now_of("broker")))));
    if (scene.fleet.facts.bus.broker_machine == work.machine) behind = 1;
  }
  work.pushes.push_back(
      intended_push(TRY(compose_seat(books, scene, work.machine, work.push_id, now_of("now"), behind))));
  work.found = {{"describe", work.found["describe"]}};
  return {};
}

Status seed_seat_act(Scene& scene, Work& work) {
  auto carried = carry_permissions(scene, work.push_id);
  if (carried) {
    if (const auto sent = carry_push(scene, 3, work.push_id); !sent) carried = sent.error();
  }
  if (carried || is_silence(carried.error())) return carried;
  // Refused or given back: nobody holds the seat here, and the store must not say so.
  TRY(withdraw_in_store(scene, work.machine));
  return carried;
}

Result<Json> seed_seat_proof(Scene& scene, Work& work) {
  TRY(wait_until_held(scene, work.machine, true));
  const auto seat = TRY(describe(scene, work.machine));
  const auto events = TRY(probe_with_events(scene, 3, work.machine));
  const auto refused = TRY(scene.books.with(
      [&](Books& books) { return catalogue::unheld_proof(books.store, work.machine, kRuntimeSeat); }));
  return Json{{"push_id", work.push_id},
              {"seat",
               {{"name", kRuntimeSeat},
                {"held", seat["held"]},
                {"module", seat["module"]},
                {"engine", seat["engine"]},
               {"holder_version", seat.value("version", Json{})}}},
              {"probe", events},
              {"refused_where_unheld", refused}};
}

Result<Json> seed_seat_back_out(Scene& scene, Work& work, const Json&) {
  const auto now = TRY(read_now(scene, work.machine));
  const auto push_id = random_hex(16);
  const bool broker_here = scene.fleet.facts.bus.broker_machine == work.machine;
  const auto there =
      has_broker(scene.fleet) ? TRY(read_now(scene, scene.fleet.facts.bus.broker_machine)) : Now{};
  TRY(scene.books.with([&](Books& books) {
    return books.store.transaction([&]() -> Status {
      TRY(catalogue::withdraw(books.store, work.machine, kRuntimeSeat));
      auto push = TRY(compose_seat(books, scene, work.machine, push_id, now, 0));
      push["seat"] = unheld(scene.fleet, work.machine);
      TRY(push_intended(books.store, intended_push(push)));
      if (!has_broker(scene.fleet)) return {};
      auto after = there;
      if (broker_here) after.status["sequence"] = push["sequence"];
      return push_intended(books.store,
                           intended_push(TRY(compose_permissions(books, scene, push_id, after))));
    });
  }));
  // The holder stops using its subjects before the broker forbids them.
  TRY(carry_push(scene, 3, push_id));
  TRY(wait_until_held(scene, work.machine, false));
  TRY(carry_permissions(scene, push_id));
  return Json{{"push_id", push_id}, {"held", false}};
}

}  // namespace berth::migrate::steps_detail
