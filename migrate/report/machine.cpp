#include "migrate/report/machine.h"

#include "base/clock.h"
#include "base/fields.h"
#include "base/json.h"
#include "migrate/report/attempts.h"
#include "migrate/report/summary.h"
#include "migrate/steps/steps.h"

namespace berth::migrate::report_detail {
namespace {

Json or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json{}; }

Json milliseconds_between(const Json& from, const Json& to) {
  if (!from.is_string() || !to.is_string()) return nullptr;
  const auto began = parse_rfc3339(from.get<std::string>());
  const auto ended = parse_rfc3339(to.get<std::string>());
  if (!began || !ended) return nullptr;
  return std::chrono::duration_cast<std::chrono::milliseconds>(*ended - *began).count();
}

Result<Json> step_document(const MachineRecords& records, const StepRun& row) {
  const auto* step = find_step(row.step);
  const bool done = row.state == "done";
  const auto proof = done && row.proof ? TRY(parse_json(*row.proof, "the proof of a step")) : Json{};
  const auto restarts = restarts_in(proof);
  const auto attempts = TRY(attempts_of(records, row));
  return Json{{"step", row.step},
              {"name", step == nullptr ? "" : std::string{step->name}},
              {"state", row.state},
              {"began_at", or_null(row.intended_at)},
              {"ended_at", or_null(row.ended_at)},
              {"duration_ms", milliseconds_between(or_null(row.intended_at), or_null(row.ended_at))},
              {"says", done ? sentence_of(row.step, proof) : ""},
              {"restarts", restarts ? Json(*restarts) : Json{}},
              {"proof", proof},
              {"error", or_null(row.error)},
              {"attempts", attempts}};
}

/// Where the machine stands: what a person looks for first.
std::string state_of(const MachineRecords& records) {
  if (records.machine.set_aside) return "set aside";
  for (const auto* state : {"failed", "running"}) {
    for (const auto& row : records.rows) {
      if (row.state == state) return state;
    }
  }
  std::size_t done = 0;
  for (const auto& row : records.rows) done += row.state == "done" ? 1U : 0U;
  return done == records.rows.size() ? "done" : done == 0 ? "pending" : "under way";
}

/// Every attempt's proof counts: what a backed-out one restarted was restarted.
Json restarts_of(const Json& steps) {
  Json total;
  for (const auto& step : steps) {
    for (const auto& attempt : step["attempts"]) {
      if (const auto n = restarts_in(attempt["proof"])) total = (total.is_null() ? 0 : total.get<std::size_t>()) + *n;
    }
  }
  return total;
}

Json pushes_document(const std::vector<PushRow>& pushes) {
  Json list = Json::array();
  for (const auto& push : pushes) {
    list.push_back({{"push_id", push.push_id},
                    {"kind", push.kind},
                    {"state", push.state},
                    {"sent_at", push.sent_at},
                    {"ended_at", or_null(push.ended_at)},
                    {"token", push.token}});
  }
  return list;
}

Json reports_document(const std::vector<ReportRow>& reports) {
  Json list = Json::array();
  for (const auto& report : reports) {
    list.push_back({{"at", report.at},
                    {"result", report.result},
                    {"path", report.path},
                    {"host_version", report.host_version},
                    {"cli_path", report.cli_path}});
  }
  return list;
}

Json versions_of(const MachineRecords& records, const Json& snapshot) {
  const auto at = [&](const char* path) { return snapshot.value(Json::json_pointer{path}, Json{}); };
  const auto& reports = records.reports;
  return {{"engine", at("/engine/name")},
          {"engine_version", at("/engine/version")},
          {"packages", at("/packages")},
          {"host", reports.empty() ? Json{} : Json(reports.back().host_version)},
          {"cli_path", reports.empty() ? Json{} : Json(reports.back().cli_path)}};
}

}  // namespace

Result<Json> machine_document(const MachineRecords& records, const std::string& platform) {
  Json steps = Json::array();
  for (const auto& row : records.rows) steps.push_back(TRY(step_document(records, row)));
  const auto snapshot = records.snapshot ? TRY(parse_json(*records.snapshot, "a snapshot")) : Json(Json::object());
  auto versions = versions_of(records, snapshot);
  versions["platform"] = platform;
  const auto proof_of = [&](std::size_t step, const char* member) {
    const auto& proof = steps.at(step - 1)["proof"];
    return proof.is_object() ? proof.value(member, Json{}) : Json{};
  };
  if (const auto seat = proof_of(3, "seat"); seat.is_object()) versions["holder"] = seat.value("holder_version", Json{});
  return Json{{"name", records.machine.name},
              {"machine_id", records.machine.machine_id},
              {"state", state_of(records)},
              {"set_aside", or_null(records.machine.set_aside)},
              {"versions", versions},
              {"file", proof_of(2, "file")},
              {"keys", proof_of(1, "keys")},
              {"restarts", restarts_of(steps)},
              {"steps", std::move(steps)},
              {"pushes", pushes_document(records.pushes)},
              {"reports", reports_document(records.reports)}};
}

}  // namespace berth::migrate::report_detail
