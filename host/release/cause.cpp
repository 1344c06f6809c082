#include "host/release/cause.h"

#include <limits>

#include "base/fields.h"
#include "base/json.h"
#include "host/records/pushes.h"
#include "host/release/switch.h"
#include "schema/queries.h"

namespace berth::host::release {
namespace {

constexpr std::string_view kCause = "trial_cause";
constexpr store::Query<std::string(std::string_view)> kNewestReport{schema::queries::report_newest_since};
constexpr store::Query<std::string(std::int64_t)> kReportAfter{schema::queries::report_newest_after};
constexpr store::Query<std::int64_t()> kHighestReport{schema::queries::report_highest};

std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const auto at = text.rfind('\n');
  return at == std::string::npos ? text : text.substr(at + 1);
}

/// "its unit is activating (auto-restart), last end exit-code 1, restarted 5 times; it said: …".
std::string of_unit(const resources::UnitState& unit, const std::string& journal) {
  auto text = "it does not stay up: its unit is " + unit.active + (unit.sub.empty() ? "" : " (" + unit.sub + ")") +
              ", last end " + (unit.result.empty() ? "unknown" : unit.result) + " " + std::to_string(unit.exit_status) +
              ", restarted " + std::to_string(unit.restarts) + (unit.restarts == 1 ? " time" : " times");
  if (const auto said = last_line(journal); !said.empty()) text += "; it said: " + said;
  return text;
}

Result<Json> newest_report(const std::filesystem::path& path, Time since) {
  auto store = TRY(store::Store::open_read_only(path));
  const auto body = TRY(store.first(kNewestReport, to_rfc3339(since)));
  return body ? parse_json(*body, "the newest report") : Result<Json>{Json{}};
}

Result<Json> report_after(const std::filesystem::path& path, std::int64_t seq) {
  auto store = TRY(store::Store::open_read_only(path));
  const auto body = TRY(store.first(kReportAfter, seq));
  return body ? parse_json(*body, "the newest report") : Result<Json>{Json{}};
}

std::string of_report(const Json& report, const Trial& trial) {
  const auto version = report.value("host_version", "");
  if (version != trial.version) return "the host that runs says it is " + version + ", not " + trial.version;
  auto text = "its newest apply was " + report.value("result", "") + " by path " + report.value("path", "");
  for (const auto& resource : report.value("resources", Json::array())) {
    if (resource.value("action", "") == "failed")
      text += "; " + resource.value("id", "") + ": " + resource.value("detail", "");
  }
  if (const auto cause = report.value("cause", Json{}); cause.is_string()) text += "; " + cause.get<std::string>();
  return text;
}

}  // namespace

std::string why_not_proven(const Trial& trial, Time since, const std::filesystem::path& store,
                           resources::Units& units) {
  const auto unit = units.state(kHostUnit);
  if (!unit) return "its unit cannot be asked about: " + unit.error().detail;
  if (unit->active == "deactivating") return "the host before it has not ended yet";
  if (unit->active == "activating" && unit->sub.starts_with("start")) {
    const auto said = last_line(units.journal_since(kHostUnit, since));
    return "it runs and does not say that it is there: it hangs in its start" + (said.empty() ? "" : "; it said: " + said);
  }
  if (unit->active != "active") return of_unit(*unit, units.journal_since(kHostUnit, since));
  const auto report = newest_report(store, since);
  if (report && report->is_object()) return of_report(*report, trial);
  return "it runs and has reported nothing: it hangs, or its first apply does";
}

Before look_before(const std::filesystem::path& path, resources::Units& units) {
  Before before{std::numeric_limits<std::int64_t>::max(), 0};  // unknown: no report counts against the new host
  if (const auto unit = units.state(kHostUnit)) before.pid = unit->main_pid;
  if (auto store = store::Store::open_read_only(path)) {
    if (const auto highest = store->first(kHighestReport); highest && *highest) before.report = **highest;
  }
  return before;
}

std::string why_never(const Trial& trial, const Before& before, const std::filesystem::path& store, resources::Units& units) {
  const auto unit = units.state(kHostUnit);
  if (!unit || unit->queued) return {};  // on its way to another state: an old host that had to be killed is failed, too
  if (unit->active == "failed") return of_unit(*unit, units.journal_since(kHostUnit, Time{}));
  if (unit->active != "active" || unit->main_pid == before.pid) return {};
  const auto report = report_after(store, before.report);
  if (!report || !report->is_object() || report->value("host_version", "") == trial.version) return {};
  // What the host before it still said while it ended is not the new one's word.
  const auto at = parse_rfc3339(report->value("at", ""));
  return at && *at >= Time{std::chrono::microseconds{unit->started_us}} ? of_report(*report, trial) : std::string{};
}

Status keep_cause(store::Store& store, const std::string& cause) {
  return cause.empty() ? drop_setting(store, kCause) : set_document_setting(store, kCause, cause);
}

Result<std::string> kept_cause(store::Store& store) {
  const auto kept = TRY(document_setting(store, kCause));
  return kept.is_string() ? kept.get<std::string>() : std::string{};
}

}  // namespace berth::host::release
