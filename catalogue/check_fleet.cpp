#include <algorithm>
#include <set>

#include "base/json.h"
#include "base/names.h"
#include "catalogue/facts.h"
#include "catalogue/fleet_manifests.h"
#include "catalogue/grants.h"
#include "catalogue/seats.h"
#include "catalogue/settings.h"

namespace berth::catalogue {
namespace {

Error wrong(const FleetFacts& facts, const std::string& path, const std::string& reason,
            Errc code = Errc::bad_request) {
  return fail_field(code, path, facts.source + ": " + path + " " + reason);
}

/// Registration's first half: the manifest promises every verb and event of each seat it claims.
Status check_claims(const Manifest& manifest, const std::vector<Seat>& seats) {
  for (const auto& claim : manifest.claims) {
    const auto seat = std::ranges::find(seats, claim.seat, &Seat::name);
    if (seat == seats.end()) {
      return fail_field(Errc::not_found, "claims",
                        manifest.name + " claims the seat " + claim.seat + ", which there is not");
    }
    TRY(check_serves(*seat, manifest.name, claim.verbs, claim.events));
  }
  return {};
}

Status check_capabilities(const FleetFacts& facts, const MachineFacts& machine, const Manifest& manifest) {
  for (const auto& capability : manifest.capabilities) {
    if (std::ranges::find(machine.capabilities, capability) != machine.capabilities.end()) continue;
    return wrong(
        facts, "machines." + machine.name + ".modules",
        "has " + manifest.name + ", which needs the capability " + capability + " that the machine lacks",
        Errc::conflict);
  }
  return {};
}

Status check_settings_names(const FleetFacts& facts, const std::map<std::string, std::string>& settings,
                            const std::string& path, const std::map<std::string, Manifest>& manifests) {
  for (const auto& [module, text] : settings) {
    if (!manifests.contains(module))
      return wrong(facts, path + "." + module, "is of no module that there is");
  }
  return {};
}

/// A seat of a machine has one holder: two assigned claimants are refused naming both.
Status check_one_claimant(const FleetFacts& facts, const MachineFacts& machine,
                          const std::map<std::string, Manifest>& manifests) {
  std::map<std::string, std::string> claimants;
  for (const auto& module : machine.modules) {
    for (const auto& claim : manifests.at(module).claims) {
      const auto [at, fresh] = claimants.emplace(claim.seat, module);
      if (fresh) continue;
      auto error = wrong(facts, "machines." + machine.name + ".modules",
                         "has " + at->second + " and " + module + ", which both claim the seat " + claim.seat,
                         Errc::collision);
      error.seat = claim.seat;
      return error;
    }
  }
  return {};
}

Status check_machine(const FleetFacts& facts, const MachineFacts& machine,
                     const std::map<std::string, Manifest>& manifests) {
  const auto path = "machines." + machine.name;
  if (const auto name = MachineName::parse(machine.name); !name)
    return wrong(facts, path, "is not named so: " + name.error().detail);
  if (machine.machine_id.size() != 32 ||
      machine.machine_id.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return wrong(facts, path + ".machine_id", "must be 32 hex digits, as in /etc/machine-id");
  }
  std::set<std::string> seen;
  for (const auto& module : machine.modules) {
    if (!manifests.contains(module))
      return wrong(facts, path + ".modules", "has " + module + ", which is no module", Errc::not_found);
    if (!seen.insert(module).second) return wrong(facts, path + ".modules", "has " + module + " twice");
    TRY(check_capabilities(facts, machine, manifests.at(module)));
    TRY(effective_settings(facts, machine, manifests.at(module)));
    TRY(kept_keys(facts, machine, module));
  }
  TRY(check_settings_names(facts, machine.settings, path + ".settings", manifests));
  return check_one_claimant(facts, machine, manifests);
}

Status check_machines(const FleetFacts& facts, const std::map<std::string, Manifest>& manifests) {
  std::map<std::string, std::string> by_id;
  std::set<std::string> names;
  for (const auto& machine : facts.machines) {
    TRY(check_machine(facts, machine, manifests));
    if (!names.insert(machine.name).second) return wrong(facts, "machines." + machine.name, "stands twice");
    const auto [at, fresh] = by_id.emplace(machine.machine_id, machine.name);
    if (!fresh)
      return wrong(facts, "machines." + machine.name + ".machine_id", "is that of " + at->second + " too");
  }
  return {};
}

Status check_broker(const FleetFacts& facts) {
  if (facts.bus.broker_machine.empty()) return {};
  const auto* machine = facts.find_machine(facts.bus.broker_machine);
  if (machine == nullptr)
    return wrong(facts, "bus.broker.machine", "is no machine of the fleet", Errc::not_found);
  if (std::ranges::find(machine->modules, facts.bus.broker_module) == machine->modules.end()) {
    return wrong(facts, "bus.broker.module", "is not assigned to " + machine->name, Errc::not_found);
  }
  return {};
}

}  // namespace

Status check_fleet(const FleetFacts& facts) {
  if (const auto name = FleetName::parse(facts.name); !name) return wrong(facts, "name", name.error().detail);
  const auto seats = TRY(shipped_seats());
  const auto manifests = TRY(fleet_manifests(facts));
  for (const auto& [name, manifest] : manifests) TRY(check_claims(manifest, seats));
  TRY(check_settings_names(facts, facts.settings, "settings", manifests));
  TRY(check_machines(facts, manifests));
  TRY(check_broker(facts));
  TRY(expand_grants(facts, manifests));
  return {};
}

}  // namespace berth::catalogue
