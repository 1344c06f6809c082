// Step 2: one push gives the engine's package, file and service to the runtime module.
#include <algorithm>

#include "base/hash.h"
#include "catalogue/catalogue.h"
#include "migrate/configs.h"
#include "migrate/containers.h"
#include "migrate/earlier.h"
#include "migrate/hand_over_proof.h"
#include "migrate/pushing.h"
#include "migrate/steps/steps.h"
#include "store/ingest.h"

namespace berth::migrate::steps_detail {
namespace {

/// The machine is still as step 1 read it. The host checks the same right before its first write.
Status as_read(const Json& kept, const Json& now, const std::string& machine) {
  for (const auto* part : {"file", "unit", "flags"}) {
    const auto then = kept.at(part).at("sha256").get<std::string>();
    const auto is = now.at(part).at("sha256").get<std::string>();
    if (then == is) continue;
    return fail(Errc::drift, machine + "'s engine " + part + " has changed since step 1 read it (" + then +
                                 " then, " + is + " now); berth migrate back-out --to-step 1 --machine " +
                                 machine + ", then run reads it again");
  }
  return {};
}

catalogue::PushOrder hand_over_order(const Scene& scene, const Work& work, const Json& status,
                                     const Json& snapshot) {
  auto order = order_for(scene, work.machine, work.push_id, status);
  order.kind = catalogue::PushKind::hand_over;
  order.expect_file = snapshot["file"]["sha256"].get<std::string>();
  order.expect_unit = snapshot["unit"]["sha256"].get<std::string>();
  order.expect_flags = snapshot["flags"]["sha256"].get<std::string>();
  return order;
}

/// What the push writes into the engine's file: {"key": value}.
Json pushed_keys(const Json& push, const std::string& path) {
  Json into = Json::object();
  for (const auto& module : push["declaration"]["modules"]) {
    for (const auto& resource : module["resources"]) {
      if (resource.value("type", "") == "json" && resource.value("path", "") == path)
        into.update(resource.value("into", Json::object()));
    }
  }
  return into;
}

/// What the audits answer from, as it is now: who owns each key, what runs, the records.
/// A key that goes waits for the engine's next start too, and stands in no declaration any more.
void add_leaving(Json& keys, const Json& planned_to_wait) {
  for (const auto& key : planned_to_wait) {
    const bool told = std::ranges::find(keys["waiting"], key) != keys["waiting"].end() ||
                      std::ranges::find(keys["taken"], key) != keys["taken"].end();
    if (!told) keys["waiting"].push_back(key);
  }
}

Status keep_observed(Scene& scene, const std::string& machine, const Json& keys, const Json& snapshot) {
  return scene.books.with([&](Books& books) {
    return books.store.transaction([&]() -> Status {
      TRY(keep_keys(books.store, machine,
                    TRY(compare_machine(books.store, scene.fleet, machine, snapshot)).findings));
      TRY(mark_waiting(books.store, machine, keys.at("waiting").get<std::vector<std::string>>()));
      TRY(store::observe_containers(books.store, machine, snapshot["taken_at"].get<std::string>(),
                                    snapshot["containers"]));
      return store::reflect_records(books.store, machine, snapshot["records"]);
    });
  });
}

}  // namespace

Status hand_over_gate(Scene& scene, Work& work) {
  const auto status = TRY(status_of(scene, work.machine));
  const auto snapshot = TRY(snapshot_of(scene, work.machine));
  const auto kept =
      TRY(scene.books.with([&](Books& books) { return kept_snapshot(books.store, work.machine); }));
  TRY(as_read(kept, snapshot, work.machine));
  TRY(check_not_handed_over(work.machine, scene.ask(work.machine, {{"what", "pushes"}})));
  const auto push = TRY(scene.books.with([&](Books& books) -> Result<Json> {
    return catalogue::compose(books.store, hand_over_order(scene, work, status, snapshot),
                              TRY(catalogue::parse_records(snapshot["records"])));
  }));
  scene.says(2, work.machine, "plan");
  const auto planned = TRY(scene.ask(work.machine, {{"what", "plan"}, {"push", push}}));
  work.pushes = {intended_push(push)};
  const auto path = snapshot["file"].value("path", "");
  work.found = {
      {"before",
       {{"file", snapshot["file"]}, {"engine", snapshot["engine"]}, {"records", snapshot["records"]}}},
      {"planned", planned.at("file")},
      {"waiting", planned.value("waiting", Json::array())},
      {"into", pushed_keys(push, path)}};
  return {};
}

Status hand_over_intend(Books&, const Scene&, Work&) { return {}; }

Status hand_over_act(Scene& scene, Work& work) {
  TRY(carry_push(scene, 2, work.push_id));
  return {};
}

Result<Json> hand_over_proof(Scene& scene, Work& work) {
  const auto push = TRY(ask_push(scene, work.machine, work.push_id));
  const auto after = TRY(snapshot_of(scene, work.machine));
  const auto& before = work.found.at("before");
  const auto file =
      TRY(file_as_planned(before["file"], work.found.at("planned"), after["file"], work.machine));
  auto keys = TRY(keys_taken(work.found.at("into"), before, after, work.machine));
  add_leaving(keys, work.found.value("waiting", Json::array()));
  const auto kinship =
      compare_containers(push.value("before", Json::array()), push.value("after", Json::array()));
  TRY(no_restarts(kinship, work.machine));
  const auto records = TRY(record_origins(before["records"], after["records"], work.machine));
  TRY(keep_observed(scene, work.machine, keys, after));
  return Json{{"push_id", work.push_id},
              {"file", file},
              {"keys", keys},
              {"containers", kinship_document(kinship)},
              {"records", records},
              {"report", push["report"]}};
}

Result<Json> hand_over_back_out(Scene& scene, Work& work, const Json& proof) {
  const auto undone = proof.at("push_id").get<std::string>();
  const auto status = TRY(status_of(scene, work.machine));
  const auto now = TRY(snapshot_of(scene, work.machine));
  const auto kept =
      TRY(scene.books.with([&](Books& books) { return kept_snapshot(books.store, work.machine); }));
  // One begun by a runner that died goes on under its own id.
  const auto push_id = TRY(scene.books.with([&](Books& books) -> Result<std::string> {
    if (const auto begun = TRY(begun_back_out(books.store, work.machine, undone))) return begun->push_id;
    auto order = order_for(scene, work.machine, random_hex(16), status);
    order.kind = catalogue::PushKind::back_out;
    order.restores = undone;
    const auto push =
        TRY(catalogue::compose_back_out(books.store, order, TRY(catalogue::parse_records(now["records"])),
                                        TRY(catalogue::parse_records(kept["records"]))));
    TRY(push_intended(books.store, intended_push(push)));
    return order.push_id;
  }));
  const auto ended = TRY(carry_push(scene, 2, push_id));
  const auto after = TRY(snapshot_of(scene, work.machine));
  const auto kinship =
      compare_containers(ended.value("before", Json::array()), ended.value("after", Json::array()));
  TRY(no_restarts(kinship, work.machine));
  TRY(keep_observed(scene, work.machine, {{"waiting", Json::array()}}, after));
  const bool identical = after["file"]["sha256"] == kept["file"]["sha256"];
  if (!identical && now["file"]["sha256"] == proof["file"]["sha256"]) {
    return fail(Errc::failed,
                work.machine + ": the engine's file is not what step 1 read, and nobody else changed it");
  }
  return Json{{"push_id", push_id},
              {"restores", undone},
              {"byte_identical", identical},
              {"containers", kinship_document(kinship)}};
}

}  // namespace berth::migrate::steps_detail
