// Step 1: everything about the engine's configuration is read, kept verbatim, and every difference decided.
#include <algorithm>

#include "migrate/configs.h"
#include "migrate/dry_hand_over.h"
#include "migrate/earlier.h"
#include "migrate/steps/steps.h"
#include "store/ingest.h"

namespace berth::migrate::steps_detail {
namespace {

/// The engine must answer: a snapshot without it would list no containers, and no containers is a claim.
Status engine_answers(const Json& snapshot, const std::string& machine) {
  if (!snapshot.at("engine").value("version", "").empty()) return {};
  return fail(Errc::engine_unreachable, machine + "'s engine does not answer");
}

std::size_t count(const Json& containers, bool held) {
  return static_cast<std::size_t>(std::ranges::count_if(
      containers, [&](const Json& c) { return !c.value("assignment", Json{}).is_null() == held; }));
}

}  // namespace

Status read_configs_gate(Scene& scene, Work& work) {
  const auto status = TRY(status_of(scene, work.machine));
  TRY(check_not_handed_over(work.machine, scene.ask(work.machine, {{"what", "pushes"}})));
  scene.says(1, work.machine, "snapshot");
  auto snapshot = TRY(snapshot_of(scene, work.machine));
  TRY(engine_answers(snapshot, work.machine));
  work.found = {{"snapshot", std::move(snapshot)}, {"host_version", status.value("host_version", "")}};
  return {};
}

/// Kept even where a difference is undecided: the audits answer from it, and a person decides by it.
Status read_configs_intend(Books& books, const Scene& scene, Work& work) {
  const auto& snapshot = work.found.at("snapshot");
  TRY(store::ingest_snapshot(books.store, snapshot));
  const auto compared = TRY(compare_machine(books.store, scene.fleet, work.machine, snapshot));
  TRY(keep_keys(books.store, work.machine, compared.findings));
  work.found = {
      {"host_version", work.found["host_version"]},
      {"taken_at", snapshot["taken_at"]},
      {"file", {{"exists", snapshot["file"]["exists"]}, {"sha256", snapshot["file"]["sha256"]}}},
      {"unit", snapshot["unit"]["sha256"]},
      {"flags", snapshot["flags"]["sha256"]},
      {"containers",
       {{"held", count(snapshot["containers"], true)}, {"strays", count(snapshot["containers"], false)}}},
      {"keys", findings_document(compared.findings)},
      {"undecided", lines_to_paste(compared.findings, compared.planned.module, work.machine)}};
  return {};
}

/// The host judges the hand-over already here, and changes nothing: a file that no engine would take, or a key
/// that is a flag too, stops the fleet before any machine was handed over.
Status read_configs_act(Scene& scene, Work& work) {
  if (const auto undecided = work.found.value("undecided", ""); !undecided.empty()) {
    return fail(Errc::collision,
                "undecided: the fleet document must say what becomes of what was found\n" + undecided);
  }
  const auto status = TRY(status_of(scene, work.machine));
  const auto snapshot = TRY(snapshot_of(scene, work.machine));
  const auto push = TRY(scene.books.with(
      [&](Books& books) { return dry_hand_over(books.store, work.machine, status, snapshot); }));
  TRY(scene.ask(work.machine, {{"what", "plan"}, {"push", push}}));
  return {};
}

Result<Json> read_configs_proof(Scene&, Work& work) {
  auto proof = work.found;
  proof.erase("undecided");
  return proof;
}

Result<Json> read_configs_back_out(Scene&, Work&, const Json&) {
  return Json{{"undone", "nothing: the step only read"}};
}

}  // namespace berth::migrate::steps_detail
