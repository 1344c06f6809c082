#include "base/fields.h"

#include <fstream>

#include "base/config.h"
#include "base/json.h"
#include "catch.h"
#include "tests/support/fakes.h"

using namespace berth;
using Catch::Matchers::Contains;

namespace {

std::string why_not(std::string_view text, int depth = 64) {
  const auto parsed = parse_json(text, "the request", depth);
  return parsed ? "taken" : parsed.error().detail;
}

std::string nested(int levels) { return std::string(static_cast<std::size_t>(levels), '[') + std::string(static_cast<std::size_t>(levels), ']'); }

/// What `read` finds wrong in a document, as "field: reason".
template <class F>
std::string wrong(const char* document, F&& read) {
  const auto json = Json::parse(document);
  Fields fields{json, "spec"};
  read(fields);
  const auto done = fields.finish();
  return done ? "" : done.error().field + ": " + done.error().detail;
}

}  // namespace

TEST_CASE("one strict JSON document is taken", "[base]") {
  CHECK(why_not(R"({"a": {"b": [1, -2.5e3, true, null, "\u00e9"]}, "c": {"b": 1}} )") == "taken");
  CHECK(why_not("7") == "taken");
}

TEST_CASE("a document that readers could understand differently is refused", "[base]") {
  CHECK_THAT(why_not("\xEF\xBB\xBF{}"), Contains("byte order mark"));
  CHECK_THAT(why_not(R"({"a": 1, "a": 2})"), Contains("\"a\" stands twice"));
  CHECK_THAT(why_not(R"({"o": [{"a": 1, "b": {}, "\u0061": 2}]})"), Contains("\"a\" stands twice"));
  CHECK_THAT(why_not("{\"a\": \"\xff\"}"), Contains("the request"));
  CHECK_THAT(why_not("{\"a\": \"\xc3(\"}"), Contains("the request"));
  CHECK_THAT(why_not(R"({"a": "\ud800"})"), Contains("the request"));
  CHECK_THAT(why_not(std::string_view{"{}\0{\"a\": 1}", 11}), Contains("NUL"));
  for (const char* text : {"", " ", "{", "{} {}", "{}x", "{'a': 1}", "{\"a\": 01}", "[1,]", "nul", "NaN", "// x\n{}", "1e999"}) {
    CAPTURE(text);
    CHECK(why_not(text) != "taken");
  }
}

TEST_CASE("the reason it gives is itself fit for a document", "[base]") {
  const auto refused = parse_json("{\"a\": \xff\xfe", "the request");
  REQUIRE_FALSE(refused);
  CHECK_NOTHROW(Json(refused.error().detail).dump());
}

TEST_CASE("depth is bounded before the document is built", "[base]") {
  CHECK(why_not(nested(64)) == "taken");
  CHECK_THAT(why_not(nested(65)), Contains("deeper than 64"));
  CHECK_THAT(why_not(std::string(5'000'000, '[')), Contains("deeper than 64"));
  CHECK(why_not("\"" + std::string(100, '[') + "\"") == "taken");
  CHECK(why_not(R"(["\"[[[[", "\\"])", 1) == "taken");
  CHECK_THAT(why_not("[[]]", 1), Contains("deeper than 1"));
}

TEST_CASE("a document read from a file names the file", "[base]") {
  test::TempFolder folder;
  std::ofstream{folder / "host.json"} << "{";
  const auto refused = read_document(folder / "host.json");
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().detail, Contains((folder / "host.json").native()));
  CHECK(read_document(folder / "none.json").error().code == Errc::not_found);
}

TEST_CASE("members are read with their types and bounds, null is absent", "[base]") {
  const auto json = Json::parse(R"({"t": "x", "e": "", "n": 5, "b": true, "l": ["p", "q"], "o": {"k": 1}, "z": null})");
  Fields f{json, "spec"};
  CHECK(f.text("t") == "x");
  CHECK(f.text("e", "other") == "");
  CHECK(f.text("none", "other") == "other");
  CHECK(f.integer("n", 1, 5) == 5);
  CHECK(f.integer("none", 1, 5, 3) == 3);
  CHECK(f.boolean("b", false));
  CHECK(f.texts("l") == std::vector<std::string>{"p", "q"});
  CHECK(f.object("o")["k"] == 1);
  CHECK(f.array("none").empty());
  CHECK_FALSE(f.has("z"));
  CHECK_FALSE(f.maybe_text("z"));
  CHECK(f.finish());
}

TEST_CASE("the first thing wrong is said, by its whole path", "[base]") {
  CHECK(wrong(R"({})", [](Fields& f) { f.text("name"); }) == "spec.name: spec.name is required");
  CHECK_THAT(wrong(R"({"name": ""})", [](Fields& f) { f.text("name"); }), Contains("not empty"));
  CHECK_THAT(wrong(R"({"name": 7})", [](Fields& f) { f.text("name"); }), Contains("string"));
  CHECK_THAT(wrong(R"({"n": 6})", [](Fields& f) { f.integer("n", 1, 5); }), Contains("from 1 to 5"));
  CHECK_THAT(wrong(R"({"n": 2.0})", [](Fields& f) { f.integer("n", 1, 5); }), Contains("whole number"));
  CHECK_THAT(wrong(R"({"n": 18446744073709551615})", [](Fields& f) { f.integer("n", INT64_MIN, INT64_MAX); }), Contains("whole number"));
  CHECK_THAT(wrong(R"({"b": 1})", [](Fields& f) { f.boolean("b", false); }), Contains("true or false"));
  CHECK_THAT(wrong(R"({"l": ["x", 1]})", [](Fields& f) { f.texts("l"); }), Contains("list of strings"));
  CHECK_THAT(wrong(R"({"k": "c"})", [](Fields& f) { f.one_of("k", {"a", "b"}, ""); }), Contains("one of a, b"));
  CHECK_THAT(wrong(R"([])", [](Fields&) {}), Contains("must be an object"));
  CHECK_THAT(wrong(R"({"a": 1, "b": 2})", [](Fields& f) { f.integer("a", 5, 6); f.text("b"); }), Contains("spec.a"));
}

TEST_CASE("a member nobody asked for is refused by name", "[base]") {
  CHECK(wrong(R"({"name": "x", "nmae": "y"})", [](Fields& f) { f.text("name"); }) == "spec.nmae: spec.nmae is not a known field");
}
