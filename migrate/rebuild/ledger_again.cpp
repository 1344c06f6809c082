#include "migrate/rebuild/ledger_again.h"

#include <algorithm>

#include "migrate/ledger.h"
#include "migrate/rebuild/member.h"
#include "schema/queries.h"

namespace berth::migrate::rebuild_detail {
namespace {

constexpr store::Query<void(std::string_view, std::optional<std::string>)> kSetAside{
    schema::queries::machine_aside};

/// A step begins only where the one before is done on all that take part: who lags by more had been set
/// aside. Step 1 leaves nothing on a machine, so whoever shows none may well have done it.
void find_laggards(std::vector<Judged>& all, const Options& options) {
  int furthest = 0;
  for (const auto& one : all) furthest = std::max(furthest, one.placed.highest);
  for (auto& one : all) {
    const bool named = std::ranges::find(options.machines, one.placed.machine) != options.machines.end();
    if (std::max(one.placed.highest, 1) < furthest - 1)
      one.placed.aside = "it was set aside before the operator's store was lost, and why is lost with it";
    if (named) one.placed.aside = "store rebuild was told to go on without it";
  }
}

/// Since the first hand-over that a machine remembers.
std::string opened_at(const store::Store& store, const std::vector<Judged>& all) {
  auto first = store.now();
  for (const auto& one : all) {
    const auto at = text_in(one.heard.hand_over, "accepted_at");
    if (one.placed.highest >= 2 && !at.empty()) first = std::min(first, at);
  }
  return first;
}

Status walk(Ledger& ledger, const Judged& one) {
  const auto& machine = one.placed.machine;
  TRY(ledger.add_machines({machine}));
  for (int step = 1; step <= one.placed.highest; ++step) {
    const auto& proof = one.proofs[static_cast<std::size_t>(step - 1)];
    TRY(ledger.start(step, machine, text_in(proof, "push_id"), "{}"));
    TRY(ledger.done(step, machine, proof.dump()));
  }
  return {};
}

/// The furthest first: each machine's steps then follow on steps that are done by all before it.
Status write_migration(store::Store& store, const Material& material, const std::vector<Judged>& all,
                       Filled& filled) {
  const Taker taker{material.lease.runner, material.lease.token, material.options.program};
  auto ledger = TRY(Ledger::open(store, material.fleet, taker, opened_at(store, all)));
  filled.migration = ledger.id();
  std::vector<const Judged*> order;
  for (const auto& one : all) order.push_back(&one);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const Judged* one) { return one->placed.highest; });
  for (const auto* one : order) TRY(walk(ledger, *one));
  TRY(ledger.add_machines(material.fleet.machines));
  for (const auto& placed : filled.machines) {
    if (!placed.aside.empty()) TRY(ledger.set_aside(placed.machine, placed.aside));
  }
  const bool over = std::ranges::all_of(filled.machines, [](const Placed& p) { return p.highest == 5; });
  return over ? ledger.close() : Status{};
}

}  // namespace

Status write_ledger(store::Store& store, const Material& material, std::vector<Judged>& all, Filled& filled) {
  find_laggards(all, material.options);
  const bool begun =
      material.begun || std::ranges::any_of(all, [](const Judged& j) { return j.placed.highest > 0; });
  for (const auto& one : all) filled.machines.push_back(one.placed);
  std::ranges::sort(filled.machines, {}, &Placed::machine);
  if (begun) return write_migration(store, material, all, filled);
  for (const auto& placed : filled.machines) {
    if (!placed.aside.empty()) TRY(store.run(kSetAside, placed.machine, placed.aside));
  }
  return {};
}

}  // namespace berth::migrate::rebuild_detail
