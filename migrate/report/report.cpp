// `berth migrate report`: what the store knows of a migration, as one document.
#include <algorithm>

#include "base/json.h"
#include "migrate/migrate.h"
#include "migrate/report/machine.h"
#include "migrate/report/records.h"
#include "migrate/screen.h"
#include "migrate/steps/steps.h"

namespace berth::migrate {
namespace {

using report_detail::Taken;

Json runs_document(const std::vector<Taken>& runs) {
  Json list = Json::array();
  for (const auto& run : runs) {
    list.push_back({{"token", run.token},
                    {"runner", run.runner},
                    {"berth", run.program},
                    {"document_hash", run.hash},
                    {"began_at", run.began_at}});
  }
  return list;
}

Json steps_document() {
  Json list = Json::array();
  for (const auto& step : steps())
    list.push_back({{"step", step.number}, {"name", std::string{step.name}}, {"does", std::string{step.does}}});
  return list;
}

std::string platform_of(const FleetDocument& fleet, const std::string& machine) {
  const bool known = std::ranges::find(fleet.machines, machine) != fleet.machines.end();
  return known ? fleet.machine(machine).platform : "";
}

/// How many machines are in each state, and what was restarted in all.
Json totals_of(const Json& machines) {
  Json totals = {{"machines", machines.size()}, {"states", Json::object()}, {"restarts", nullptr}};
  for (const auto& machine : machines) {
    auto& count = totals["states"][machine["state"].get<std::string>()];
    count = count.is_null() ? 1 : count.get<int>() + 1;
    if (machine["restarts"].is_null()) continue;
    auto& restarts = totals["restarts"];
    restarts = (restarts.is_null() ? 0 : restarts.get<std::size_t>()) + machine["restarts"].get<std::size_t>();
  }
  return totals;
}

Result<Json> machines_document(const FleetDocument& fleet, const Migration& migration, store::Store& store) {
  Ledger ledger{store, migration.id};
  const auto rows = TRY(ledger.runs());
  Json list = Json::array();
  for (const auto& machine : TRY(ledger.machines())) {
    std::vector<StepRun> own;
    std::ranges::copy_if(rows, std::back_inserter(own), [&](const StepRun& r) { return r.machine == machine.name; });
    const auto records = TRY(report_detail::records_of(store, migration, machine, std::move(own)));
    list.push_back(TRY(report_detail::machine_document(records, platform_of(fleet, machine.name))));
  }
  return list;
}

}  // namespace

Result<Json> report(const FleetDocument& fleet, store::Store& store, std::string_view program) {
  const auto migration = TRY(newest_migration(store, fleet.name.text()));
  if (!migration)
    return fail(Errc::not_found, "no migration of " + fleet.name.text() + " has begun: there is nothing to report");
  const auto now = TRY(status(fleet, store));
  auto machines = TRY(machines_document(fleet, *migration, store));
  const auto runs = runs_document(TRY(report_detail::runs_of(store, *migration)));
  return Json{{"fleet", migration->fleet},
              {"migration", migration->id},
              {"document_hash", migration->hash},
              {"opened_at", migration->opened_at},
              {"closed_at", migration->closed_at ? Json(*migration->closed_at) : Json{}},
              {"made_at", store.now()},
              {"made_by", "berth " + std::string{program}},
              {"rebuilt", now.document.at("rebuilt")},
              {"next", now.document.at("next")},
              {"runs", runs},
              {"steps", steps_document()},
              {"totals", totals_of(machines)},
              {"machines", std::move(machines)}};
}

}  // namespace berth::migrate
