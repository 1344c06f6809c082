#include "catalogue/placeholders.h"

#include "tests/catalogue/world.h"

using namespace berth;             // NOLINT: a test reads better
using namespace berth::catalogue;  // NOLINT

namespace {

Result<Json> value_of(const Placeholder& placeholder) {
  const std::map<std::string, Json> values = {
      {"${seat:store:reach}", "r:5000"}, {"${seat:none:reach}", ""},
      {"${machine:name}", "alder"},      {"${setting:nil}", nullptr},
      {"${setting:on}", true},           {"${setting:port}", 80},
      {"${setting:list}", {"a", "b"}},   {"${setting:empty}", Json::array()},
      {"${setting:map}", {{"k", "v"}}}};
  return values.at(placeholder.text);
}

std::string filled(const std::string& document) {
  const auto out = fill(Json::parse(document), value_of, "doc");
  return out ? out->dump() : to_text(out.error());
}

}  // namespace

TEST_CASE("a placeholder alone becomes its value of whatever type, inside a text its text", "[catalogue]") {
  CHECK(filled(R"({"a": "${setting:on}", "b": "${setting:port}", "c": "${setting:map}"})") ==
        R"({"a":true,"b":80,"c":{"k":"v"}})");
  CHECK(filled(R"(["http://${seat:store:reach}/${machine:name}:${setting:port}"])") ==
        R"(["http://r:5000/alder:80"])");
  CHECK(filled(R"({"plain": "$HOME {x}", "n": 1, "e": [], "o": {}})") ==
        R"({"e":[],"n":1,"o":{},"plain":"$HOME {x}"})");
}

TEST_CASE("an empty value drops its member, and what that empties goes with it", "[catalogue]") {
  CHECK(filled(R"({"registries": ["${seat:store:reach}", "${seat:none:reach}"]})") ==
        R"({"registries":["r:5000"]})");
  CHECK(filled(R"({"registries": ["${seat:none:reach}"], "x": 1})") == R"({"x":1})");
  CHECK(filled(R"({"a": {"b": {"c": "${setting:nil}"}}, "x": 1})") == R"({"x":1})");
  CHECK(filled(R"({"url": "http://${seat:none:reach}/", "x": 1})") == R"({"x":1})");
  CHECK(filled(R"({"dns": "${setting:empty}", "x": 1})") == R"({"x":1})");
}

TEST_CASE("a list given for a list's member is spliced in", "[catalogue]") {
  CHECK(filled(R"(["x", "${setting:list}", "y"])") == R"(["x","a","b","y"])");
  CHECK(filled(R"([["${setting:list}"]])") == R"([["a","b"]])");
}

TEST_CASE("a placeholder that is unknown, or a list inside a text, is refused naming the place",
          "[catalogue]") {
  CHECK(filled(R"({"a": ["${colour:red}"]})") ==
        "unfilled: doc.a[0]: the placeholder ${colour:red} is unknown (field doc.a[0])");
  CHECK(filled(R"({"a": "x${setting:list}"})") ==
        "unfilled: doc.a: the placeholder ${setting:list} is a list or an object, which cannot stand inside "
        "a text (field doc.a)");
  for (const auto* text :
       {"${}", "${setting:}", "${seat:reach}", "${seat::reach}", "${seat:x}", "${machine:id}"}) {
    CAPTURE(text);
    CHECK(find_placeholders(text, "doc").error().code == Errc::unfilled);
  }
}

TEST_CASE("what a value brings in is not filled again, and does not pass", "[catalogue]") {
  const auto brings = [](const Placeholder&) -> Result<Json> { return Json("${machine:name}"); };
  const auto out = fill(Json::parse(R"({"a": "${setting:x}"})"), brings, "doc").value();
  CHECK(out["a"] == "${machine:name}");
  CHECK(check_filled(out, "doc").error().field == "doc.a");
  CHECK(check_filled(Json::parse(R"({"a": ["${X}"]})"), "doc").error().field ==
        "doc.a[0]");  // the host refuses it too
  CHECK(check_filled(Json::parse(R"({"a": "$PASSWORD {X}"})"), "doc").ok());
}
