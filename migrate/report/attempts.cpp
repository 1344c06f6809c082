#include "migrate/report/attempts.h"

#include "base/fields.h"
#include "base/json.h"

namespace berth::migrate::report_detail {
namespace {

Json text_or_null(const std::optional<std::string>& text) { return text && !text->empty() ? Json(*text) : Json{}; }

Json begun(const Past& past) {
  return {{"attempt", past.attempt},
          {"began_at", past.at},
          {"ended_at", nullptr},
          {"state", past.state},
          {"token", past.token},
          {"runner", past.runner},
          {"push_id", text_or_null(past.push_id)},
          {"error", nullptr},
          {"proof", nullptr}};
}

Status end(Json& attempt, const Past& past) {
  attempt["state"] = past.state;
  attempt["ended_at"] = past.at;
  attempt["error"] = text_or_null(past.error);
  if (past.proof) attempt["proof"] = TRY(parse_json(*past.proof, "a proof of step " + std::to_string(past.step)));
  return {};
}

/// Who ended it may be another runner than who began it: the time line names who began.
Status add(Json& attempts, const Past& past) {
  const bool open = !attempts.empty() && attempts.back().at("ended_at").is_null();
  if (past.state == "running" || !open) attempts.push_back(begun(past));
  if (past.state == "running") return {};
  if (past.state == "backed_out" && !open) attempts.back()["began_at"] = nullptr;
  return end(attempts.back(), past);
}

/// The last attempt as the row itself tells it.
Result<Json> from_row(const StepRun& row) {
  if (row.state == "pending") return Json(Json::array());
  Past past{row.step, row.attempt, "running", row.intended_at.value_or(""), 0, "", row.push_id, {}, row.error};
  Json only = Json::array({begun(past)});
  if (row.state == "running") return only;
  past.state = row.state;
  past.at = row.ended_at.value_or("");
  if (row.state == "done") past.proof = row.proof;
  TRY(end(only.back(), past));
  return only;
}

}  // namespace

Result<Json> attempts_of(const MachineRecords& records, const StepRun& row) {
  Json attempts = Json::array();
  for (const auto& past : records.history) {
    if (past.step == row.step) TRY(add(attempts, past));
  }
  if (attempts.empty()) return from_row(row);
  // Why one that still runs does not go on is in the row alone.
  if (row.state == "running") attempts.back()["error"] = text_or_null(row.error);
  return attempts;
}

}  // namespace berth::migrate::report_detail
