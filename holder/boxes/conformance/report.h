#pragma once
#include <string>
#include <vector>

#include "holder/boxes/conformance/rule.h"

namespace berth::holder::boxes::conformance {

std::string_view to_text(Row::Outcome outcome);
/// One line of the table: "ok      run.as_asked  1.2 s  …".
std::string row_line(const Row& row);
std::string summary_line(const std::vector<Row>& rows);
/// {"runtime", "rules": [{"rule", "text", "outcome", "why", "ms"}], "passed", "failed", "skipped"}
std::string json_report(const std::string& runtime, const std::vector<Row>& rows);
std::string junit_report(const std::string& runtime, const std::vector<Row>& rows);
bool all_hold(const std::vector<Row>& rows);

}  // namespace berth::holder::boxes::conformance
