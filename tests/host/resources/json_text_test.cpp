#include "host/resources/json_text.h"

#include "base/json.h"
#include "catch.h"

using berth::Errc;
using berth::host::resources::JsonText;

namespace {

JsonText parsed(std::string bytes) {
  auto text = JsonText::parse(std::move(bytes), "daemon.json");
  if (!text) FAIL(text.error().detail);
  return *text;
}

std::string refusal(std::string bytes) {
  auto text = JsonText::parse(std::move(bytes), "daemon.json");
  if (text) return "taken";
  CHECK(text.error().code == Errc::unparsable);
  return text.error().detail;
}

std::string with(std::string bytes, std::string_view key, std::string_view value) {
  return parsed(std::move(bytes)).with(key, value)->bytes();
}

}  // namespace

TEST_CASE("a new member copies the separators of the file it comes into") {
  CHECK(with("{}", "k", "1") == "{\"k\": 1}");
  CHECK(with("{ }\n", "k", "1") == "{ \"k\": 1 }\n");
  CHECK(with("{\n}\n", "k", "1") == "{\n  \"k\": 1\n}\n");
  CHECK(with("{\"a\":1}", "k", "1") == "{\"a\":1,\"k\":1}");
  CHECK(with("{\"a\": 1}", "k", "1") == "{\"a\": 1, \"k\": 1}");
  CHECK(with("{\n    \"a\": 1\n}", "k", "1") == "{\n    \"a\": 1,\n    \"k\": 1\n}");
  CHECK(with("{\n\t\"a\" : 1,\n\t\"b\" : 2\n}\n", "k", "1") == "{\n\t\"a\" : 1,\n\t\"b\" : 2,\n\t\"k\" : 1\n}\n");
  CHECK(with("{\r\n  \"a\": 1\r\n}\r\n", "k", "1") == "{\r\n  \"a\": 1,\r\n  \"k\": 1\r\n}\r\n");
  CHECK(with("{\r\n}\r\n", "k", "1") == "{\r\n  \"k\": 1\r\n}\r\n");
  CHECK(with("{\"a\": 1\n, \"b\": 2\n}", "k", "1") == "{\"a\": 1\n, \"b\": 2\n, \"k\": 1\n}");
}

TEST_CASE("a member that is there is replaced in place, found by its decoded name") {
  CHECK(with("{\"live-restor\\u0065\" :\tfalse , \"z\":1}", "live-restore", "true") ==
        "{\"live-restor\\u0065\" :\ttrue , \"z\":1}");
  CHECK(with("{\"a\": {\"k\": 1}}", "k", "2") == "{\"a\": {\"k\": 1}, \"k\": 2}");
}

TEST_CASE("taking out a member leaves every other byte, first, middle, last or alone") {
  const auto without = [](std::string bytes) { return parsed(std::move(bytes)).without("k")->bytes(); };
  CHECK(without("{\n  \"k\": 1,\n  \"b\": 2\n}\n") == "{\n  \"b\": 2\n}\n");
  CHECK(without("{\"a\": 1, \"k\": [1, 2], \"b\": 2}") == "{\"a\": 1, \"b\": 2}");
  CHECK(without("{\"a\": 1,\n \"k\": \"}\"\n}") == "{\"a\": 1\n}");
  CHECK(without("{ \"k\": 1 }") == "{ }");
  CHECK(without("{\"a\": 1}") == "{\"a\": 1}");
}

TEST_CASE("an item joins a list in the list's own form and leaves it without a trace") {
  const auto added = [](std::string bytes) { return parsed(std::move(bytes)).with_item("l", "\"r:5000\"")->bytes(); };
  CHECK(added("{\"l\": []}") == "{\"l\": [\"r:5000\"]}");
  CHECK(added("{\"l\": [ ]}") == "{\"l\": [ \"r:5000\" ]}");
  CHECK(added("{\"l\": [\"a\"]}") == "{\"l\": [\"a\", \"r:5000\"]}");
  CHECK(added("{\"l\":[\"a\",\"b\"]}") == "{\"l\":[\"a\",\"b\",\"r:5000\"]}");
  CHECK(added("{\n  \"l\": [\n    \"a\"\n  ]\n}") == "{\n  \"l\": [\n    \"a\",\n    \"r:5000\"\n  ]\n}");
  CHECK(added("{\n\t\"l\": [\n\t]\n}") == "{\n\t\"l\": [\n\t\t\"r:5000\"\n\t]\n}");
  const auto list = parsed("{\"l\": [\"a\",  \"b\", \"c\"]}");
  CHECK(list.without_item("l", 0)->bytes() == "{\"l\": [\"b\", \"c\"]}");
  CHECK(list.without_item("l", 1)->bytes() == "{\"l\": [\"a\", \"c\"]}");
  CHECK(list.without_item("l", 2)->bytes() == "{\"l\": [\"a\",  \"b\"]}");
}

TEST_CASE("DJ09 numbers and escapes of members that are not ours keep their spelling") {
  const std::string foreign =
      "\"a\": 1.0, \"b\": 1e2, \"c\": 12345678901234567890, \"d\": 18014398509481985, \"e\\u00e9\": \"\\u00e9\", "
      "\"f\": -0, \"g\": \"\\ud800\"";
  const auto edited = with("{" + foreign + "}", "live-restore", "true");
  CHECK(edited == "{" + foreign + ", \"live-restore\": true}");
  CHECK(parsed(edited).without("live-restore")->bytes() == "{" + foreign + "}");
}

TEST_CASE("DJ04 a byte order mark and UTF-16 are named and refused") {
  CHECK(refusal("\xEF\xBB\xBF{}") == "daemon.json:1:1 (line:column): a byte order mark (BOM), which engines refuse");
  CHECK(refusal(std::string{"\xFF\xFE{\0}\0", 6}).find("UTF-16") != std::string::npos);
}

TEST_CASE("DJ05 a trailing comma or a comment is refused at its line and column") {
  CHECK(refusal("{\n  \"a\": true,\n}\n") == "daemon.json:3:1 (line:column): a comma with no member after it");
  CHECK(refusal("{\n // c\n \"a\": true\n}\n") ==
        "daemon.json:2:2 (line:column): a comment, which JSON does not have");
  CHECK(refusal("{\"a\": 1} // c").find(":1:10 ") != std::string::npos);
}

TEST_CASE("what any supported engine refuses is refused, and so is what only one takes") {
  CHECK(refusal("").find("empty") != std::string::npos);
  CHECK(refusal(" \n\t\n").find("empty") != std::string::npos);
  CHECK(refusal("{\"a\": true}\n{\"b\": true}\n") ==
        "daemon.json:2:1 (line:column): text after the end of the object");
  CHECK(refusal("{\"a\": true}\nxyz\n").find(":2:1 ") != std::string::npos);
  CHECK(refusal("{\"a\": \"\xC3(\"}") == "daemon.json:1:8 (line:column): not UTF-8");
  CHECK(refusal("{\"a\": \"\xED\xA0\x80\"}").find("not UTF-8") != std::string::npos);
  CHECK(refusal("{\"a\": \"\xC0\x80\"}").find("not UTF-8") != std::string::npos);
  CHECK(refusal("[]").find("one object") != std::string::npos);
  CHECK(refusal("null").find("one object") != std::string::npos);
  CHECK(refusal("{\"k\": 1, \"\\u006b\": 2}").find("\"k\" is there twice") != std::string::npos);
  CHECK(refusal("{\"a\": 01}").find("begin with 0") != std::string::npos);
  for (const char* text : {"{\"a\": 1.}", "{\"a\": .5}", "{\"a\": +1}", "{\"a\": 1e}", "{\"a\": -}", "{\"a\": NaN}",
                           "{\"a\": tru}", "{\"a\": \"\\x\"}", "{\"a\": \"\\u12g4\"}", "{\"a\": \"\n\"}", "{\"a\"}",
                           "{\"a\": }", "{\"a\": 1", "{\"a\": [1}", "{'a': 1}", "{a: 1}", "{\"a\": \"", "{,}",
                           "{\"a\": [,]}", "{\"a\": [1,]}", "{\"a\": 1 \"b\": 2}"}) {
    CAPTURE(text);
    CHECK(refusal(text) != "taken");
  }
  CHECK(refusal("{\"a\": " + std::string(100000, '[')).find("nested too deep") != std::string::npos);
}
