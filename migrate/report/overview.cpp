// The top of the page: how far the migration is, the fleet's time line, who ran it.
#include "base/json.h"
#include "migrate/report/chart.h"
#include "migrate/report/markup.h"
#include "migrate/report/sections.h"

namespace berth::migrate::report_detail {
namespace {

std::string tile(const std::string& value, const std::string& name, const std::string& classes = "") {
  return "<div class=\"tile " + classes + "\"><b>" + value + "</b><span>" + name + "</span></div>";
}

std::string machine_words(const Json& totals) {
  std::string text;
  for (const auto& [state, count] : totals["states"].items())
    text += (text.empty() ? "" : ", ") + count.dump() + " " + state;
  return text;
}

std::string took_in_all(const Json& report) {
  const auto from = parse_rfc3339(report["opened_at"].get<std::string>());
  const auto& end = report["closed_at"].is_string() ? report["closed_at"] : report["made_at"];
  const auto to = parse_rfc3339(end.get<std::string>());
  if (!from || !to) return "?";
  return duration(std::chrono::duration_cast<std::chrono::milliseconds>(*to - *from));
}

std::string tiles(const Json& report) {
  const auto& totals = report["totals"];
  const auto& restarts = totals["restarts"];
  return "<div class=\"tiles\">" + tile(totals["machines"].dump(), "machines: " + escaped(machine_words(totals))) +
         tile(restarts.is_null() ? "\u2013" : restarts.dump(),
              restarts.is_null() ? "restarts: no proof has looked yet" : "containers restarted by it",
              restarts == 0 ? "good" : restarts.is_null() ? "" : "bad") +
         tile(took_in_all(report), report["closed_at"].is_string() ? "from the first run to the last" : "since the first run") +
         tile(std::to_string(report["runs"].size()), "runs of the runner") + "</div>\n";
}

std::string step_cell(const Json& step) {
  const auto attempts = step["attempts"].size();
  return "<td>" + chip(step["state"].get<std::string>()) +
         (attempts > 1 ? "<small> " + std::to_string(attempts) + " attempts</small>" : "") + "</td>";
}

std::string machines_table(const Json& report) {
  std::string text = "<table class=\"grid\"><thead><tr><th>machine</th>";
  for (const auto& step : report["steps"])
    text += "<th title=\"" + escaped(step["does"].get<std::string>()) + "\">" + step["step"].dump() + " " +
            escaped(step["name"].get<std::string>()) + "</th>";
  text += "<th class=\"n\">restarts</th><th>host</th></tr></thead><tbody>\n";
  for (const auto& machine : report["machines"]) {
    const auto name = escaped(machine["name"].get<std::string>());
    text += "<tr><th><a href=\"#" + name + "\">" + name + "</a></th>";
    for (const auto& step : machine["steps"]) text += step_cell(step);
    text += "<td class=\"n\">" + shown(machine, "restarts") + "</td><td>" + shown(machine["versions"], "host") + "</td></tr>\n";
    if (machine["set_aside"].is_string())
      text += "<tr class=\"note\"><td></td><td colspan=\"7\">set aside: " +
              escaped(machine["set_aside"].get<std::string>()) + "</td></tr>\n";
  }
  return text + "</tbody></table>\n";
}

}  // namespace

std::string overview_section(const Json& report) {
  return "<header><h1>Migration of the fleet <em>" + escaped(report["fleet"].get<std::string>()) + "</em></h1>\n" +
         "<p class=\"quiet\">migration " + shown(report, "migration") + " \u00b7 begun " + instant(report["opened_at"]) +
         (report["closed_at"].is_string() ? " \u00b7 ended " + instant(report["closed_at"]) : " \u00b7 not ended") +
         " \u00b7 fleet document <code>" + escaped(report["document_hash"].get<std::string>().substr(0, 12)) +
         "</code></p></header>\n" + tiles(report) + "<p class=\"next\"><b>Next:</b> " + shown(report, "next") + "</p>\n" +
         "<section class=\"fleet\"><h2>Time line</h2>\n<p class=\"legend\"><i class=\"step1\"></i>1 read-configs "
         "<i class=\"step2\"></i>2 hand-over <i class=\"step3\"></i>3 seed-seat <i class=\"step4\"></i>4 release-host "
         "<i class=\"step5\"></i>5 remove-cli-path <i class=\"failed\"></i>failed <i class=\"cut\"></i>nothing "
         "happened (cut out)</p>\n" +
         fleet_chart(report) + machines_table(report) + "</section>\n";
}

std::string runs_section(const Json& report) {
  std::string text =
      "<section class=\"runs\"><h2>Who ran it</h2>\n<table><thead><tr><th>when</th><th>who</th><th>berth</th>"
      "<th class=\"n\">lease token</th><th>fleet document</th></tr></thead><tbody>\n";
  for (const auto& run : report["runs"]) {
    text += "<tr><td>" + instant(run["began_at"]) + "</td><td>" + shown(run, "runner") + "</td><td>" +
            shown(run, "berth") + "</td><td class=\"n\">" + shown(run, "token") + "</td><td><code>" +
            escaped(run["document_hash"].get<std::string>().substr(0, 12)) + "</code></td></tr>\n";
  }
  return text + "</tbody></table></section>\n";
}

}  // namespace berth::migrate::report_detail
