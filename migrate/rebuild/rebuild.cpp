// `berth store rebuild`: the operator's store is lost, and made anew from what the machines and the streams
// say.
#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/guarded.h"
#include "migrate/lock.h"
#include "migrate/opening.h"
#include "migrate/rebuild/telling.h"
#include "migrate/several.h"

namespace berth::migrate::rebuild_detail {
namespace {

bool is_named(const Options& options, const std::string& machine) {
  return std::ranges::find(options.machines, machine) != options.machines.end();
}

/// All of them before anything is written anywhere. False: some cannot be asked, and nobody goes on without
/// them.
Result<bool> hear_all(const Asking& asking, Material& material) {
  Guarded<std::map<std::string, Result<Heard>>> answers;
  several(
      asking.fleet.machines, kAskedAtOnce, [&] { return !asking.stop.stop_requested(); },
      [&](const std::string& machine) {
        auto heard = hear(asking, machine);
        answers.with([&](auto& all) { all.emplace(machine, std::move(heard)); });
      });
  if (asking.stop.stop_requested())
    return fail(Errc::timeout, "stopped before every machine was asked; nothing was made");
  return answers.with([&](auto& all) {
    bool none_missing = true;
    for (const auto& machine : asking.fleet.machines) {
      auto& heard = all.at(machine);
      if (heard) {
        material.heard.push_back(std::move(heard).value());
        continue;
      }
      none_missing = none_missing && is_named(material.options, machine);
      material.unheard.push_back({machine, heard.error()});
    }
    return none_missing;
  });
}

/// Whoever is at work on the fleet is stopped by the lease; whoever was while the machines were asked is
/// found out.
Status take_the_fleet(const Asking& asking, Material& material, const Clock& clock, Observer& observer) {
  TRY(asking.port.ensure_streams());
  material.begun = TRY(asking.port.last_lease()).has_value();
  const auto claimed =
      TRY(claim_above(asking.fleet, {0, material.options.runner}, asking.port, to_rfc3339(clock.now())));
  material.lease = claimed.lease;
  if (claimed.taken_from) observer.notice(tell_taken(*claimed.taken_from, claimed.lease));
  for (const auto& heard : material.heard) TRY(check_still(asking, heard));
  return {};
}

/// In the way alone are those that nobody goes on without; `silent` when none of them says why.
Rebuilt refused(const Material& material) {
  std::vector<Unheard> in_the_way;
  for (const auto& one : material.unheard) {
    if (!is_named(material.options, one.machine)) in_the_way.push_back(one);
  }
  const bool silent = std::ranges::all_of(
      in_the_way, [](const Unheard& one) { return error_row(one.why.code).exit_status == 4; });
  return {tell_refused(in_the_way), silent};
}

/// What a person does next, once the store is there.
Result<std::string> next_of(const FleetDocument& fleet, store::Store& store) {
  return TRY(status(fleet, store)).document.at("next").get<std::string>();
}

}  // namespace
}  // namespace berth::migrate::rebuild_detail

namespace berth::migrate {

Result<Rebuilt> rebuild(const FleetDocument& fleet, const Options& options, const std::filesystem::path& path,
                        const Ground& ground, Observer& observer, const std::stop_token& stop) {
  if (!options.machines.empty()) TRY(chosen_machines(fleet, options));
  TRY(store::Store::check_vacant(path, store::Role::fleet));
  const auto lock = TRY(RunnerLock::take(lock_path(path), options.runner));
  rebuild_detail::Material material{fleet, ground.port, options, {}, {}, false, {}};
  const rebuild_detail::Asking asking{fleet, ground.port, ground.waits, stop};
  observer.notice("asks " + std::to_string(fleet.machines.size()) + " machines what they remember");
  if (!TRY(rebuild_detail::hear_all(asking, material))) return rebuild_detail::refused(material);
  if (material.heard.empty())
    return fail(Errc::unreachable,
                "no machine answers: a store made of nothing would say that nothing was ever done");
  TRY(rebuild_detail::take_the_fleet(asking, material, ground.clock, observer));
  rebuild_detail::Filled filled;
  std::string next;
  const auto made = store::Store::make_filled(path, store::Role::fleet, ground.clock, ground.seam,
                                              [&](store::Store& store) -> Status {
                                                TRY(rebuild_detail::fill_store(store, material, filled));
                                                next = TRY(rebuild_detail::next_of(fleet, store));
                                                return {};
                                              });
  if (made) return Rebuilt{rebuild_detail::tell_done(material, filled, path.native(), next), false};
  const bool beyond = std::ranges::any_of(material.unheard, [&](const rebuild_detail::Unheard& one) {
    return !rebuild_detail::is_named(options, one.machine);
  });
  if (beyond) return rebuild_detail::refused(material);
  return made.error();
}

}  // namespace berth::migrate
