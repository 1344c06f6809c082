#include "holder/boxes/conformance/report.h"

#include <algorithm>
#include <cstdio>

#include "base/json.h"
#include "base/markup.h"

namespace berth::holder::boxes::conformance {
namespace {

using Outcome = Row::Outcome;

auto count_of(const std::vector<Row>& rows, Outcome outcome) {
  return std::ranges::count(rows, outcome, &Row::outcome);
}

std::string seconds_of(const Row& row) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f", static_cast<double>(row.took.count()) / 1000.0);
  return text;
}

}  // namespace

std::string_view to_text(Outcome outcome) {
  if (outcome == Outcome::passed) return "ok";
  return outcome == Outcome::failed ? "FAILED" : "skipped";
}

std::string row_line(const Row& row) {
  char head[96];
  std::snprintf(head, sizeof(head), "%-8s %-30s %7s s  ", std::string{to_text(row.outcome)}.c_str(),
                std::string{row.rule.name}.c_str(), seconds_of(row).c_str());
  return head + (row.why.empty() ? std::string{row.rule.text} : row.why);
}

std::string summary_line(const std::vector<Row>& rows) {
  return std::to_string(count_of(rows, Outcome::passed)) + " passed, " +
         std::to_string(count_of(rows, Outcome::failed)) + " failed, " +
         std::to_string(count_of(rows, Outcome::skipped)) + " skipped";
}

std::string json_report(const std::string& runtime, const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const auto& row : rows)
    list.push_back({{"rule", row.rule.name},
                    {"text", row.rule.text},
                    {"outcome", row.outcome == Outcome::passed   ? "passed"
                                : row.outcome == Outcome::failed ? "failed"
                                                                 : "skipped"},
                    {"why", row.why},
                    {"ms", row.took.count()}});
  const Json report = {{"runtime", runtime},
                       {"rules", std::move(list)},
                       {"passed", count_of(rows, Outcome::passed)},
                       {"failed", count_of(rows, Outcome::failed)},
                       {"skipped", count_of(rows, Outcome::skipped)}};
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string junit_report(const std::string& runtime, const std::vector<Row>& rows) {
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"berth-conformance." +
                    escaped_markup(runtime) + "\" tests=\"" + std::to_string(rows.size()) + "\" failures=\"" +
                    std::to_string(count_of(rows, Outcome::failed)) + "\" skipped=\"" +
                    std::to_string(count_of(rows, Outcome::skipped)) + "\">\n";
  for (const auto& row : rows) {
    out += "  <testcase classname=\"" + escaped_markup(runtime) + "\" name=\"" +
           escaped_markup(row.rule.name) + "\" time=\"" + seconds_of(row) + "\">";
    if (row.outcome == Outcome::failed) out += "<failure message=\"" + escaped_markup(row.why) + "\"/>";
    if (row.outcome == Outcome::skipped) out += "<skipped message=\"" + escaped_markup(row.why) + "\"/>";
    out += "</testcase>\n";
  }
  return out + "</testsuite>\n";
}

bool all_hold(const std::vector<Row>& rows) { return !rows.empty() && count_of(rows, Outcome::failed) == 0; }

}  // namespace berth::holder::boxes::conformance
