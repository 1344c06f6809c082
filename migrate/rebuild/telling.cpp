#include "migrate/rebuild/telling.h"

#include "base/error.h"
#include "migrate/rebuild/losses.h"
#include "migrate/screen.h"

namespace berth::migrate::rebuild_detail {
namespace {

std::string steps_text(int highest) {
  return highest == 0   ? "no step shown to be done"
         : highest == 1 ? "step 1"
                        : "steps 1 to " + std::to_string(highest);
}

std::string machine_line(const Placed& placed) {
  auto name = placed.machine;
  if (name.size() < 16) name.append(16 - name.size(), ' ');
  return "  " + name + " " + steps_text(placed.highest) + "; " + std::to_string(placed.pushes) + " pushes, " +
         std::to_string(placed.reports) + " reports, " + std::to_string(placed.events) + " events" +
         (placed.aside.empty() ? "" : "; set aside: " + placed.aside) + "\n";
}

Json machines_document(const Filled& filled) {
  Json list = Json::array();
  for (const auto& p : filled.machines)
    list.push_back({{"machine", p.machine},
                    {"highest_step", p.highest},
                    {"set_aside", p.aside.empty() ? Json{} : Json(p.aside)},
                    {"pushes", p.pushes},
                    {"reports", p.reports},
                    {"events", p.events}});
  return list;
}

Json unheard_document(const std::vector<Unheard>& unheard) {
  Json list = Json::array();
  for (const auto& one : unheard)
    list.push_back({{"machine", one.machine},
                    {"code", std::string{error_row(one.why.code).name}},
                    {"why", one.why.detail}});
  return list;
}

}  // namespace

Outcome tell_done(const Material& material, const Filled& filled, const std::string& path,
                  const std::string& next) {
  Outcome outcome;
  outcome.text = "rebuilt " + path + " from what " +
                 std::to_string(material.fleet.machines.size() - material.unheard.size()) + " of " +
                 std::to_string(material.fleet.machines.size()) + " machines say (token " +
                 std::to_string(material.lease.token) + ")\n";
  for (const auto& placed : filled.machines) outcome.text += machine_line(placed);
  outcome.text += "\nnot in it (berth audit lost says this again):\n";
  for (const auto& loss : filled.lost)
    outcome.text += "  " + (loss.machine.empty() ? "the fleet" : loss.machine) + ": " + loss.what + ": " +
                    loss.why + "\n";
  outcome.text += "\nnext: " + next + "\n";
  outcome.document = {{"outcome", outcome_name(outcome.kind)},
                      {"store", path},
                      {"fleet", material.fleet.name.text()},
                      {"migration", filled.migration.empty() ? Json{} : Json(filled.migration)},
                      {"token", material.lease.token},
                      {"machines", machines_document(filled)},
                      {"lost", losses_document(filled.lost)},
                      {"next", next}};
  return outcome;
}

Outcome tell_refused(const std::vector<Unheard>& unheard) {
  Outcome outcome;
  outcome.kind = Outcome::Kind::refused;
  std::string options;
  outcome.text = "nothing was made: these machines cannot be asked, or are between two states\n";
  for (const auto& one : unheard) {
    outcome.text += "  " + one.machine + ": " + one.why.detail + "\n";
    options += " --set-aside " + one.machine;
  }
  outcome.text += "\nnext: see to them, and ask again; or go on without them:" + options +
                  "\n(each is then set aside, none of its steps is in the store, and step 5 waits for it)\n";
  outcome.document = {{"outcome", outcome_name(outcome.kind)}, {"unheard", unheard_document(unheard)}};
  return outcome;
}

}  // namespace berth::migrate::rebuild_detail
