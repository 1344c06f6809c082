#include "base/error.h"

#include <fstream>
#include <set>
#include <sstream>

#include "base/file.h"
#include "base/json.h"
#include "base/utf8.h"
#include "catch.h"

using namespace berth;
using Catch::Matchers::Contains;

TEST_CASE("every code has one row, its own name, and an exit status of the contract", "[base]") {
  std::set<std::string_view> names;
  for (const auto& row : error_table()) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(&error_row(row.code) == &row);
    CHECK((row.exit_status >= 1 && row.exit_status <= 4));
    CHECK((row.status >= 400 && row.status <= 599));
  }
  CHECK(names.size() == static_cast<std::size_t>(Errc::failed) + 1);
}

TEST_CASE("a failure comes back from the wire as it went, for every code", "[base]") {
  for (const auto& row : error_table()) {
    CAPTURE(row.name);
    const Error sent{.code = row.code, .detail = "stop web: no", .field = "a.b", .fields = {"x", "y"}, .assignment = "web",
                     .seat = "s", .candidates = {"docker", "podman"}, .engine_status = 409, .engine_message = "busy"};
    const auto body = Json::parse(to_problem(sent).dump());
    CHECK(body["type"] == "berth:" + std::string{row.name});
    CHECK(body["status"] == row.status);
    const auto got = from_problem(body);
    CHECK(got.code == sent.code);
    CHECK(got.detail == sent.detail);
    CHECK(got.field == sent.field);
    CHECK(got.fields == sent.fields);
    CHECK(got.assignment == sent.assignment);
    CHECK(got.seat == sent.seat);
    CHECK(got.candidates == sent.candidates);
    CHECK(got.engine_status == sent.engine_status);
    CHECK(got.engine_message == sent.engine_message);
  }
}

TEST_CASE("what has nothing to say has no member", "[base]") {
  const auto body = to_problem(fail(Errc::busy, "full"));
  CHECK(body.size() == 5);
  CHECK(from_problem(body).engine_status == 0);
}

TEST_CASE("an answer that is no problem document, or a stranger's, is still an error with its text", "[base]") {
  CHECK(from_problem(Json::parse(R"([1])")).code == Errc::failed);
  CHECK(from_problem(Json::parse(R"({"code": 7, "detail": {}, "fields": "x", "engine": {"status": "x"}})")).code == Errc::failed);
  const auto stranger = from_problem(Json::parse(R"({"code": "on_fire", "detail": "the shed"})"));
  CHECK(stranger.code == Errc::failed);
  CHECK(stranger.detail == "on_fire: the shed");
}

TEST_CASE("an error that quotes bytes which are no UTF-8 can be sent", "[base]") {
  const Error odd{.code = Errc::failed, .detail = "read /tmp/\xff\xfe", .engine_status = 500, .engine_message = "\xc3("};
  std::string text;
  REQUIRE_NOTHROW(text = to_problem(odd).dump());
  CHECK_THAT(text, Contains("/tmp/\xEF\xBF\xBD\xEF\xBF\xBD"));
  CHECK(repaired_utf8("gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\xb3") == "gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\xb3");
  CHECK(repaired_utf8("\xc3") == "\xEF\xBF\xBD");
}

TEST_CASE("an error told from one floor up keeps its code and says both", "[base]") {
  const auto told = fail_field(Errc::conflict, "name", "web is there").while_doing("create web");
  CHECK(told.code == Errc::conflict);
  CHECK(to_text(told) == "conflict: create web: web is there (field name)");
}

TEST_CASE("docs/errors.md has exactly the rows of the table", "[base]") {
  std::istringstream page{read_file(BERTH_SOURCE_DIR "/docs/errors.md").value()};
  std::vector<std::string> rows;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `")) rows.push_back(line);
  }
  std::vector<std::string> expected;
  for (const auto& row : error_table()) {
    expected.push_back("| `" + std::string{row.name} + "` | " + std::to_string(row.status) + " | " +
                       std::to_string(row.exit_status) + " | " + std::string{row.title} + " |");
  }
  CHECK(rows == expected);
}
