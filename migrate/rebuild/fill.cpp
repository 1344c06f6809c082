#include "migrate/rebuild/fill.h"

#include <algorithm>

#include "catalogue/catalogue.h"
#include "migrate/configs.h"
#include "migrate/rebuild/ledger_again.h"
#include "migrate/rebuild/losses.h"
#include "migrate/rebuild/member.h"
#include "migrate/rebuild/proofs.h"
#include "migrate/rebuild/snapshot_then.h"
#include "schema/queries.h"
#include "store/ingest.h"

namespace berth::migrate::rebuild_detail {
namespace {

using Text = std::string_view;
constexpr store::Query<void(Text, Text, std::int64_t, std::int64_t, Text, Text, Text, Text,
                            std::optional<std::string>)>
    kPushRebuilt{schema::queries::push_rebuilt};

/// The pushes that the machine remembers, oldest first.
Result<std::int64_t> take_pushes(store::Store& store, const Heard& heard) {
  for (auto i = heard.pushes.size(); i-- > 0;) {
    const auto& push = heard.pushes[i];
    const auto sequence = number_in(push, "sequence");
    const Json body = {{"push_id", text_in(push, "push_id")},   {"machine", heard.machine},
                       {"kind", text_in(push, "kind")},         {"sequence", sequence},
                       {"restores", text_in(push, "restores")}, {"rebuilt", true}};
    const auto ended = text_in(push, "ended_at");
    TRY(store.run(kPushRebuilt, text_in(push, "push_id"), heard.machine, sequence, number_in(push, "token"),
                  text_in(push, "kind"), body.dump(), text_in(push, "state"), text_in(push, "accepted_at"),
                  ended.empty() ? std::nullopt : std::optional{ended}));
  }
  return static_cast<std::int64_t>(heard.pushes.size());
}

/// The machine as it was read then where it remembers that, and as it is now.
Status take_state(store::Store& store, const Heard& heard) {
  const bool handed_over = heard.hand_over.is_object();
  TRY(store::ingest_snapshot(store, handed_over ? snapshot_then(heard) : heard.snapshot));
  if (!handed_over) return {};
  TRY(store::observe_containers(store, heard.machine, text_in(heard.snapshot, "taken_at"),
                                heard.snapshot.at("containers")));
  return store::reflect_records(store, heard.machine, heard.snapshot.at("records"));
}

/// Who owns each key now, and what the engine has not taken.
Status take_keys(store::Store& store, const FleetDocument& fleet, const Heard& heard,
                 const Json& hand_over_proof) {
  TRY(keep_keys(store, heard.machine,
                TRY(compare_machine(store, fleet, heard.machine, heard.snapshot)).findings));
  std::vector<std::string> waiting;
  for (const auto& key : member_in(member_in(hand_over_proof, "keys"), "waiting"))
    waiting.push_back(key.get<std::string>());
  return mark_waiting(store, heard.machine, waiting);
}

Status take_machine(store::Store& store, const Material& material, const Heard& heard, Judged& judged,
                    std::vector<Loss>& lost) {
  return store.transaction([&]() -> Status {
    judged.placed.machine = heard.machine;
    TRY(take_state(store, heard));
    judged.seen = TRY(take_streams(store, material.fleet, material.port, heard.machine,
                                   text_in(heard.seat_push, "accepted_at")));
    judged.placed.pushes = TRY(take_pushes(store, heard));
    judged.placed.reports = judged.seen.reports;
    judged.placed.events = judged.seen.events;
    judged.placed.highest = TRY(highest_step(material.fleet, heard, judged.seen, lost));
    return {};
  });
}

/// What others said of it stays true of a machine that cannot be asked.
Status take_unheard(store::Store& store, const Material& material, const Unheard& unheard, Filled& filled) {
  Placed placed{unheard.machine, 0, "store rebuild went on without it: " + unheard.why.detail};
  const auto seen = TRY(take_streams(store, material.fleet, material.port, unheard.machine, ""));
  placed.reports = seen.reports;
  placed.events = seen.events;
  filled.machines.push_back(std::move(placed));
  filled.lost.push_back({unheard.machine, "everything but its reports and events", unheard.why.detail});
  return {};
}

bool is_left_out(const Material& material, const std::string& machine) {
  return std::ranges::find(material.options.machines, machine) != material.options.machines.end();
}

/// Every machine, or Errc::conflict once all have been looked at and some cannot be judged.
Status take_machines(store::Store& store, Material& material, std::vector<Judged>& all, Filled& filled) {
  bool beyond = false;
  for (const auto& heard : material.heard) {
    Judged judged{heard, {}, {}};
    const auto before = filled.lost.size();
    if (const auto taken = take_machine(store, material, heard, judged, filled.lost); taken) {
      all.push_back(std::move(judged));
      continue;
    } else if (const auto code = taken.error().code; code == Errc::failed || code == Errc::busy) {
      return taken.error();
    } else {
      filled.lost.resize(before);
      material.unheard.push_back({heard.machine, taken.error()});
      beyond = beyond || !is_left_out(material, heard.machine);
    }
  }
  return beyond ? Status{fail(Errc::conflict, "a machine cannot be judged")} : Status{};
}

/// The seats as the machines hold them: with their subjects and what is enforced.
Status take_seats(store::Store& store, const std::vector<Judged>& all) {
  for (const auto& one : all) {
    if (one.placed.highest < 3) continue;
    TRY(catalogue::seed_seat(store, catalogue::kRuntimeSeat));
    TRY(catalogue::register_holder(store, one.placed.machine, catalogue::kRuntimeSeat,
                                   one.heard.seat.at("seat")));
  }
  return {};
}

/// Outside of any transaction: what a seat unheld would be refused is tried in one that is undone.
Status make_proofs(store::Store& store, const FleetDocument& fleet, std::vector<Judged>& all) {
  for (auto& one : all) {
    for (int step = 1; step <= one.placed.highest; ++step)
      one.proofs.push_back(TRY(proof_again(store, fleet, one.heard, one.seen, step)));
    TRY(take_keys(store, fleet, one.heard, one.placed.highest >= 2 ? one.proofs[1] : Json{}));
  }
  return {};
}

}  // namespace

Status fill_store(store::Store& store, Material& material, Filled& filled) {
  TRY(catalogue::import_fleet(store, material.fleet.facts));
  TRY(keep_lease(store, material.fleet, material.lease));
  std::vector<Judged> all;
  TRY(take_machines(store, material, all, filled));
  for (const auto& unheard : material.unheard) TRY(take_unheard(store, material, unheard, filled));
  TRY(store.transaction([&] { return take_seats(store, all); }));
  TRY(make_proofs(store, material.fleet, all));
  TRY(store.transaction([&] { return write_ledger(store, material, all, filled); }));
  TRY(find_losses(store, material, all, filled));
  return keep_losses(store, material, filled);
}

}  // namespace berth::migrate::rebuild_detail
