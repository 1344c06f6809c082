#include "migrate/rebuild/losses.h"

#include <algorithm>
#include <set>

#include "catalogue/catalogue.h"
#include "migrate/rebuild/member.h"

namespace berth::migrate::rebuild_detail {
namespace {

const Json* record_of(const Json& snapshot, const std::string& id) {
  for (const auto& record : snapshot.at("records")) {
    if (text_in(record, "id") == id) return &record;
  }
  return nullptr;
}

/// Modules that a machine has records of and the document does not list there.
void add_assignments(const FleetDocument& fleet, const Judged& one, std::vector<Loss>& lost) {
  const auto& listed = fleet.machine(one.placed.machine).modules;
  std::set<std::string> others;
  for (const auto& record : one.heard.snapshot.at("records")) {
    const auto module = text_in(record, "module");
    if (!module.empty() && std::ranges::find(listed, module) == listed.end()) others.insert(module);
  }
  for (const auto& module : others)
    lost.push_back({one.placed.machine, "the assignment of " + module,
                    "it has records there and the fleet document does not list it: the next push gives them "
                    "back, unless it is assigned again before"});
}

/// The broker's own file says what was granted; the document may give less.
Status add_grants(store::Store& store, const FleetDocument& fleet, const Judged& one,
                  std::vector<Loss>& lost) {
  const auto& bus = fleet.facts.bus;
  if (bus.broker_machine != one.placed.machine) return {};
  const auto* record = record_of(one.heard.snapshot, bus.broker_module + ".permissions");
  if (record == nullptr) return {};
  if (text_in(member_in(*record, "declared"), "content") == TRY(catalogue::render_permissions(store)))
    return {};
  lost.push_back({one.placed.machine, "what the broker's permissions have beyond the fleet document",
                  "grants given by hand, and subjects of machines that were not asked: they go with the next "
                  "push of this machine, unless they are given again before"});
  return {};
}

void add_proofs(const Judged& one, std::vector<Loss>& lost) {
  for (std::size_t i = 0; i < one.proofs.size(); ++i) {
    std::string missing;
    for (const auto& what : member_in(member_in(one.proofs[i], "rebuilt"), "missing"))
      missing += (missing.empty() ? "" : "; ") + what.get<std::string>();
    if (!missing.empty())
      lost.push_back({one.placed.machine, "of the proof of step " + std::to_string(i + 1), missing});
  }
}

void add_fleet_wide(bool begun, std::vector<Loss>& lost) {
  lost.push_back({"", "calls", "what was asked of machines from this desk, and what was refused there"});
  lost.push_back(
      {"", "pushes", "what each push said (a machine tells which there were and what came of them)"});
  lost.push_back({"", "what was said by hand",
                  "modules assigned, verbs granted and callers forgotten beyond the fleet document"});
  if (!begun) return;
  lost.push_back(
      {"", "the migration's past", "its id, who ran it when, attempts that failed, and what was backed out"});
  lost.push_back({"", "who was set aside",
                  "and why; who lags behind the others by more than a step was, and is set aside again"});
  lost.push_back({"", "the document the migration was planned from", "the one given now stands for it"});
}

}  // namespace

Json losses_document(const std::vector<Loss>& lost) {
  Json list = Json::array();
  for (const auto& loss : lost)
    list.push_back({{"machine", loss.machine.empty() ? Json{} : Json(loss.machine)},
                    {"what", loss.what},
                    {"why", loss.why}});
  return list;
}

Status find_losses(store::Store& store, const Material& material, const std::vector<Judged>& all,
                   Filled& filled) {
  add_fleet_wide(!filled.migration.empty(), filled.lost);
  for (const auto& one : all) {
    add_assignments(material.fleet, one, filled.lost);
    add_proofs(one, filled.lost);
    TRY(add_grants(store, material.fleet, one, filled.lost));
  }
  std::ranges::stable_sort(filled.lost, {}, &Loss::machine);
  return {};
}

Status keep_losses(store::Store& store, const Material& material, const Filled& filled) {
  const Json note = {
      {"at", store.now()}, {"runner", material.lease.runner}, {"lost", losses_document(filled.lost)}};
  return store.set_setting("rebuilt", note.dump());
}

}  // namespace berth::migrate::rebuild_detail
