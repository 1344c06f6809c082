#include <set>

#include "base/file.h"
#include "base/json.h"
#include "tests/holder/boxes/boxes_world.h"

namespace berth::test {
namespace {

using namespace holder::boxes::conformance;

std::vector<Row> three_rows() {
  const Rule rule{"run.limit", "A rule.", nullptr};
  return {{Row::Outcome::passed, rule, "", std::chrono::milliseconds{1500}},
          {Row::Outcome::failed, rule, "it said \"<no>\" & left\x01", std::chrono::milliseconds{20}},
          {Row::Outcome::skipped, rule, "not here", std::chrono::milliseconds{0}}};
}

}  // namespace

TEST_CASE("a report says each rule's outcome and why, in three forms", "[boxes][report]") {
  const auto rows = three_rows();
  CHECK(!all_hold(rows));
  CHECK(all_hold({rows[0], rows[2]}));
  CHECK(!all_hold({}));
  CHECK(summary_line(rows) == "1 passed, 1 failed, 1 skipped");
  CHECK(row_line(rows[1]).find("FAILED") == 0);
  const auto json = Json::parse(json_report("docker", rows));
  CHECK(json["rules"][1]["outcome"] == "failed");
  CHECK(json["rules"][0]["ms"] == 1500);
  const auto xml = junit_report("docker", rows);
  CHECK(xml.find("tests=\"3\" failures=\"1\" skipped=\"1\"") != std::string::npos);
  CHECK(xml.find("it said &quot;&lt;no&gt;&quot; &amp; left&#x2401;") != std::string::npos);
}

TEST_CASE("every rule has a name of its own and a sentence", "[boxes][report]") {
  std::set<std::string_view> names;
  for (const auto& rule : rules()) {
    CHECK(names.insert(rule.name).second);
    CHECK(rule.text.ends_with("."));
  }
  CHECK(names.size() >= 30);
}

TEST_CASE("every rule is in the table of docs/conformance.md", "[boxes][report]") {
  const auto page = have(read_file(std::string{BERTH_SOURCE_DIR} + "/docs/conformance.md"));
  for (const auto& rule : rules()) {
    CAPTURE(rule.name);
    CHECK(page.find("`" + std::string{rule.name} + "`") != std::string::npos);
  }
}

}  // namespace berth::test
