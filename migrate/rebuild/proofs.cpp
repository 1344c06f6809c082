#include "migrate/rebuild/proofs.h"

#include <algorithm>

#include "catalogue/catalogue.h"
#include "migrate/configs.h"
#include "migrate/containers.h"
#include "migrate/diff.h"
#include "migrate/hand_over_proof.h"
#include "migrate/rebuild/member.h"
#include "migrate/rebuild/snapshot_then.h"

namespace berth::migrate::rebuild_detail {
namespace {

Json stamp(std::vector<std::string> missing) { return {{"missing", std::move(missing)}}; }

std::size_t count_of(const Json& containers, bool held) {
  return static_cast<std::size_t>(std::ranges::count_if(
      containers, [&](const Json& c) { return member_in(c, "assignment").is_null() != held; }));
}

Result<Json> read_configs_again(store::Store& store, const FleetDocument& fleet, const Heard& heard) {
  const auto then = snapshot_then(heard);
  const auto compared = TRY(compare_machine(store, fleet, heard.machine, then));
  return Json{
      {"taken_at", then["taken_at"]},
      {"file", {{"exists", then["file"]["exists"]}, {"sha256", then["file"]["sha256"]}}},
      {"unit", then["unit"]["sha256"]},
      {"flags", then["flags"]["sha256"]},
      {"containers",
       {{"held", count_of(then["containers"], true)}, {"strays", count_of(then["containers"], false)}}},
      {"keys", findings_document(compared.findings)},
      {"rebuilt",
       stamp({"the host's version then", "unit and flags as they were (they are told as they are now)",
              "decisions of an older fleet document"})}};
}

std::string text_of_file(const Json& file) { return text_in(file, "text"); }

Json file_again(const Json& before, const Json& after) {
  const auto path = text_in(before, "path");
  return {{"path", path},
          {"sha256", member_in(after, "sha256")},
          {"sha256_before", member_in(before, "sha256")},
          {"diff", unified_diff(text_of_file(before), text_of_file(after), path)}};
}

/// The keys that the runtime module's record writes into the engine's file.
Json written_keys(const Json& snapshot) {
  const auto path = text_in(snapshot.at("file"), "path");
  Json into = Json::object();
  for (const auto& record : snapshot.at("records")) {
    const auto declared = member_in(record, "declared");
    const auto keys = member_in(declared, "into");
    if (text_in(record, "type") == "json" && text_in(declared, "path") == path && keys.is_object())
      into.update(keys);
  }
  return into;
}

Result<Json> hand_over_again(const Heard& heard) {
  const auto before = member_in(heard.before, "file");
  std::vector<std::string> missing{
      "whether a key waited for the engine's next start then (it is told as it is now)"};
  Json proof = {{"push_id", text_in(heard.hand_over, "push_id")},
                {"file", file_again(before, member_in(heard.before, "after"))},
                {"report", member_in(heard.carried, "report")}};
  const auto keys =
      keys_taken(written_keys(heard.snapshot), {{"file", before}}, heard.snapshot, heard.machine);
  proof["keys"] = keys ? *keys : Json{{"taken", Json::array()}, {"waiting", Json::array()}};
  if (!flag_in(heard.before, "known"))
    missing.push_back("the engine's file before and after it (both are told as it is now)");
  if (!keys) missing.push_back("which keys the engine took: " + keys.error().detail);
  const auto ran = member_in(heard.carried, "before");
  const auto run = member_in(heard.carried, "after");
  if (ran.is_array() && run.is_array())
    proof["containers"] = kinship_document(compare_containers(ran, run));
  else
    missing.push_back("which containers ran before and after");
  const auto origins =
      record_origins(member_in(heard.before, "records"), heard.snapshot.at("records"), heard.machine);
  if (origins)
    proof["records"] = *origins;
  else
    missing.push_back("the records' origins: " + origins.error().detail);
  proof["rebuilt"] = stamp(std::move(missing));
  return proof;
}

Result<Json> seed_seat_again(store::Store& store, const Heard& heard, const StreamsSeen& seen) {
  const auto seat = heard.seat.at("seat");
  const auto refused = TRY(catalogue::unheld_proof(store, heard.machine, catalogue::kRuntimeSeat));
  std::vector<std::string> missing;
  Json proof = {{"push_id", member_in(heard.seat_push, "push_id")},
                {"seat",
                 {{"name", catalogue::kRuntimeSeat},
                  {"held", true},
                  {"module", member_in(seat, "module")},
                  {"engine", member_in(seat, "engine")},
                  {"holder_version", member_in(seat, "version")}}},
                {"refused_where_unheld", refused}};
  if (seen.probe.is_object())
    proof["probe"] = seen.probe;
  else
    missing.push_back("the probe's events");
  proof["rebuilt"] = stamp(std::move(missing));
  return proof;
}

/// What ran before a release: the machine's own trial knows it of its last one, the reports of any.
std::string previous_of(const Heard& heard, const ReleaseSeen& seen, const std::string& version) {
  const auto trial = member_in(member_in(heard.status, "release"), "trial");
  const auto tried = text_in(trial, "version") == version ? text_in(trial, "previous") : std::string{};
  return tried.empty() || tried == version ? seen.previous : tried;
}

Result<Json> release_again(const Heard& heard, const ReleaseSeen& seen, const std::string& version) {
  std::vector<std::string> missing{"the probe", "which containers ran before and after"};
  Json proof = {{"version", version},
                {"path", "holder"},
                {"report", seen.report},
                {"reports_next", seen.next},
                {"cli_path", member_in(seen.report, "cli_path")}};
  const auto previous = previous_of(heard, seen, version);
  if (!previous.empty() && previous != version)
    proof["previous"] = previous;
  else
    missing.push_back("the version before");
  if (text_in(seen.report, "host_version") != version)
    missing.push_back("a report of that version (a later one's stands here)");
  proof["rebuilt"] = stamp(std::move(missing));
  return proof;
}

}  // namespace

Result<Json> proof_again(store::Store& store, const FleetDocument& fleet, const Heard& heard,
                         const StreamsSeen& seen, int step) {
  switch (step) {
    case 1:
      return read_configs_again(store, fleet, heard);
    case 2:
      return hand_over_again(heard);
    case 3:
      return seed_seat_again(store, heard, seen);
    case 4:
      return release_again(heard, seen.with_holder ? *seen.with_holder : *seen.without_cli,
                           fleet.version("with_holder"));
    default:
      return release_again(heard, *seen.without_cli, fleet.version("without_cli"));
  }
}

}  // namespace berth::migrate::rebuild_detail
