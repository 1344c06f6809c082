#include "migrate/lease.h"

#include <algorithm>

#include "base/fields.h"
#include "base/guarded.h"
#include "base/json.h"
#include "migrate/several.h"
#include "schema/queries.h"

namespace berth::migrate {
namespace {

struct StoredLease {
  std::string runner;
  std::int64_t token = 0;
  static StoredLease from(const store::Columns& c) { return {c.text(0), c.integer(1)}; }
};

constexpr store::Query<StoredLease(std::string_view)> kLeaseOf{schema::queries::lease_of};
constexpr store::Query<void(std::string_view, std::string_view, std::int64_t, std::string_view)> kLeasePut{
    schema::queries::lease_put};

Result<Lease> parse_lease(const std::string& text) {
  const auto document = TRY(parse_json(text, "the lease message"));
  Fields f{document, "lease"};
  Lease lease{f.integer("token", 0, INT64_MAX), f.text("runner")};
  f.text("fleet");
  f.text("at");
  TRY(f.finish());
  return lease;
}

/// The highest token that a host has accepted. A machine that does not answer is none's fault here: its own
/// gate will say so, and the lease message names every token ever claimed.
std::int64_t highest_at_hosts(const FleetDocument& fleet, Port& port) {
  Guarded<std::int64_t> highest{0};
  const auto ask = [&](const std::string& machine) {
    const auto status = port.ask(machine, {{"what", "status"}}, std::chrono::seconds{3});
    if (!status || !status->is_object()) return;
    const auto at = status->find("token");
    if (at == status->end() || !at->is_number_integer()) return;
    highest.with([&](std::int64_t& most) { most = std::max(most, at->get<std::int64_t>()); });
  };
  several(fleet.machines, kAskedAtOnce, [] { return true; }, ask);
  return highest.with([](std::int64_t most) { return most; });
}

}  // namespace

Result<Claimed> claim_lease(const FleetDocument& fleet, std::string_view runner, Port& port, store::Store& store) {
  const auto stored = TRY(store.first(kLeaseOf, fleet.name.text()));
  auto claimed = TRY(claim_above(fleet, {stored ? stored->token : 0, std::string{runner}}, port, store.now()));
  claimed.first_here = !stored;
  TRY(keep_lease(store, fleet, claimed.lease));
  return claimed;
}

Status keep_lease(store::Store& store, const FleetDocument& fleet, const Lease& mine) {
  TRY(store.run(kLeasePut, fleet.name.text(), mine.runner, mine.token, store.now()));
  return {};
}

Result<Claimed> claim_above(const FleetDocument& fleet, const Lease& known, Port& port, const std::string& now) {
  const auto last = TRY(port.last_lease());
  Claimed claim{{std::max(highest_at_hosts(fleet, port), known.token), known.runner}, {}};
  auto& mine = claim.lease;
  if (last) {
    const auto before = TRY(parse_lease(last->text));
    mine.token = std::max(mine.token, before.token);
    if (before.runner != mine.runner) claim.taken_from = before;
  }
  ++mine.token;
  const Json message = {
      {"fleet", fleet.name.text()}, {"runner", mine.runner}, {"token", mine.token}, {"at", now}};
  if (const auto claimed = port.claim_lease(message.dump(), last ? last->sequence : 0); !claimed) {
    if (claimed.error().code != Errc::conflict) return claimed.error();
    TRY(check_lease(mine, port));
    return claimed.error();
  }
  return claim;
}

std::string tell_taken(const Lease& before, const Lease& now) {
  return "the lease was last held by " + before.runner + " (token " + std::to_string(before.token) + "); it is " +
         now.runner + "'s now (token " + std::to_string(now.token) + ")";
}

Status check_lease(const Lease& mine, Port& port) {
  const auto last = TRY(port.last_lease());
  if (!last)
    return fail(Errc::stale,
                "the fleet's lease stream is empty: it was removed while this runner held the lease");
  const auto now = TRY(parse_lease(last->text));
  if (now.token == mine.token && now.runner == mine.runner) return {};
  return fail(Errc::stale, "the fleet is held by another runner: " + now.runner + " (token " +
                                  std::to_string(now.token) + ")");
}

}  // namespace berth::migrate
