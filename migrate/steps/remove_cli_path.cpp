// Step 5: the host has no command-line path any more.
#include <map>

#include "base/fields.h"
#include "base/guarded.h"
#include "migrate/releasing.h"
#include "migrate/several.h"
#include "migrate/steps/steps.h"

namespace berth::migrate::steps_detail {
namespace {

/// Every report that a machine's host has sent since step 4 proved its release.
Result<std::vector<Json>> reports_since_release(Scene& scene, const std::string& machine, const Json& proof) {
  std::vector<Json> reports{proof.at("report")};
  auto next = proof.at("reports_next").get<std::uint64_t>();
  for (;;) {
    const auto kept = TRY(scene.port.reports(machine, next, std::chrono::milliseconds{0}));
    if (kept.empty()) return reports;
    for (const auto& message : kept) reports.push_back(TRY(parse_json(message.text, machine + "'s report")));
    next = kept.back().sequence + 1;
  }
}

/// Why this machine is in the way; empty when it is not.
Result<std::string> in_the_way(Scene& scene, const std::string& machine, const Json& proof) {
  const auto seat = TRY(scene.ask(machine, {{"what", "seat"}}));
  if (!seat.value("answering", false))
    return "its holder does not answer: " + seat.value("cause", "no cause given");
  if (!seat.at("seat").value("held", false)) return std::string{"its seat is not held"};
  const auto reports = TRY(reports_since_release(scene, machine, proof));
  if (const auto path = reports.back().value("path", ""); path != "holder")
    return "its newest report says path " + path;
  for (const auto& report : reports) {
    if (report.value("path", "") == "cli")
      return "a report since its release says path cli (at " + report.value("at", "") + ")";
  }
  return std::string{};
}

/// Why one machine of the ledger is in the way, asked as it is now.
std::string obstacle(Scene& scene, const LedgerMachine& machine) {
  if (machine.set_aside) return "it is set aside: " + *machine.set_aside;
  const auto row = scene.books.with([&](Books& books) { return books.ledger.run(4, machine.name); });
  if (!row) return row.error().detail;
  if (row->state != "done") return "step 4 is " + row->state + " there";
  const auto proof = parse_json(*row->proof, "the proof of step 4");
  if (!proof) return proof.error().detail;
  const auto why = in_the_way(scene, machine.name, *proof);
  return why ? *why : why.error().detail;
}

/// A line each, in the order of their names.
std::string obstacles(Scene& scene, const std::map<std::string, LedgerMachine>& machines) {
  std::vector<std::string> names;
  for (const auto& [name, machine] : machines) names.push_back(name);
  Guarded<std::map<std::string, std::string>> found;
  several(names, kAskedAtOnce, [] { return true; }, [&](const std::string& name) {
    const auto why = obstacle(scene, machines.at(name));
    if (!why.empty()) found.with([&](auto& all) { all[name] = why; });
  });
  return found.with([](const auto& all) {
    std::string lines;
    for (const auto& [name, why] : all) lines += "\n  " + name + ": " + why;
    return lines;
  });
}

}  // namespace

Status remove_cli_fleet_gate(Scene& scene) {
  const auto machines = TRY(scene.books.with([&](Books& books) { return books.ledger.machines(); }));
  std::map<std::string, LedgerMachine> asked;
  for (const auto& machine : machines) {
    // A machine that has done this step already has no other path to fall back to.
    const auto row = TRY(scene.books.with([&](Books& books) { return books.ledger.run(5, machine.name); }));
    if (row.state != "done" || machine.set_aside) asked.emplace(machine.name, machine);
  }
  const auto reasons = obstacles(scene, asked);
  if (reasons.empty()) return {};
  return fail(Errc::seat_unheld, "the command-line path cannot be removed yet, from any machine:" + reasons);
}

Status remove_cli_gate(Scene& scene, Work& work) { return ready_for_release(scene, work); }

Status remove_cli_act(Scene& scene, Work& work) { return switch_release(scene, work, "without_cli"); }

Result<Json> remove_cli_proof(Scene& scene, Work& work) {
  auto proof = TRY(prove_release(scene, work, scene.fleet.version("without_cli"), "holder"));
  for (const auto& said : {proof["cli_path"], proof["report"].value("cli_path", Json{})}) {
    if (said != "absent")
      return fail(Errc::failed, work.machine + "'s host says that its command-line path is " + said.dump());
  }
  return proof;
}

Result<Json> remove_cli_back_out(Scene& scene, Work& work, const Json& proof) {
  return back_to(scene, work, TRY(version_before(proof, work)), "holder");
}

}  // namespace berth::migrate::steps_detail
