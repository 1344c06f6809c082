#include "cli/table.h"

#include <sstream>

#include "base/json.h"
#include "catch.h"
#include "cli/text.h"

using namespace berth;

namespace {

std::string printed(const cli::Table& table, cli::Output output, bool colour = false) {
  std::ostringstream out;
  cli::print(out, table, output, colour);
  return out.str();
}

const cli::Table kOdd{
    .columns = {"name", "restarts", "note"},
    .rows = {{std::string{"web"}, std::int64_t{3}, {}},
             {std::string{"say \"hi\", you"}, std::int64_t{-1}, std::string{"two\nlines"}},
             {std::string{"\xc3\xa4ngstr\xc3\xb6m"}, 1.5, std::string{"\x1b[2J\x9b\xff"}}}};

}  // namespace

TEST_CASE("a table stands in columns, counts characters and not bytes, and shows null as a dash", "[cli]") {
  CHECK(printed(kOdd, cli::Output::table) ==
        "name           restarts  note\n"
        "web            3         -\n"
        "say \"hi\", you  -1        two\\nlines\n"
        "\xc3\xa4ngstr\xc3\xb6m       1.5       \\x1b[2J\\x9b\\xff\n");
}

TEST_CASE("two columns of one name are two members", "[cli]") {
  const cli::Table table{.columns = {"name", "name"}, .rows = {{std::string{"alder"}, std::string{"docker"}}}};
  CHECK(Json::parse(printed(table, cli::Output::json)) == Json{{{"name", "alder"}, {"name_2", "docker"}}});
}

TEST_CASE("a cell that is too long is cut between characters in a table, and whole elsewhere", "[cli]") {
  std::string text;
  for (int i = 0; i < 101; ++i) text += "\xc3\xa9";
  const cli::Table table{.columns = {"a", "b"}, .rows = {{text, std::string{"x"}}, {text.substr(2), std::string{"y"}}}};
  CHECK(printed(table, cli::Output::table) == "a" + std::string(102, ' ') + "b\n" + text.substr(0, 200) + "\xe2\x80\xa6  x\n" + text.substr(2) + "   y\n");
  CHECK(Json::parse(printed(table, cli::Output::json))[0]["a"] == text);
}

TEST_CASE("only the heading is coloured, and only when asked", "[cli]") {
  const auto text = printed(kOdd, cli::Output::table, true);
  CHECK(text.starts_with("\033[1mname"));
  CHECK(text.find('\033', text.find('\n')) == std::string::npos);
  CHECK(printed(kOdd, cli::Output::table).find('\033') == std::string::npos);
}

TEST_CASE("CSV doubles quotes, keeps line breaks, and ends lines as RFC 4180 says", "[cli]") {
  CHECK(printed(kOdd, cli::Output::csv) ==
        "name,restarts,note\r\nweb,3,\r\n\"say \"\"hi\"\", you\",-1,\"two\nlines\"\r\n"
        "\xc3\xa4ngstr\xc3\xb6m,1.5,\x1b[2J\x9b\xff\r\n");
}

TEST_CASE("JSON keeps types, column order and never fails on broken text", "[cli]") {
  const auto text = printed(kOdd, cli::Output::json);
  const auto list = Json::parse(text);
  CHECK(list[0]["restarts"] == 3);
  CHECK(list[0]["note"].is_null());
  CHECK(list[2]["restarts"] == 1.5);
  CHECK(text.find("\"name\"") < text.find("\"restarts\""));
  CHECK(Json::parse(printed({.columns = {"a"}, .rows = {}}, cli::Output::json)) == Json::array());
}

TEST_CASE("what could move a terminal's cursor or turn its writing is shown, not done", "[cli]") {
  CHECK(cli::printable("plain \xc3\xa9 \xf0\x9f\x90\xb3") == "plain \xc3\xa9 \xf0\x9f\x90\xb3");
  CHECK(cli::printable(std::string_view{"a\0b\x7f", 4}) == "a\\x00b\\x7f");
  CHECK(cli::printable("\r\n\t\x1b]0;title\x07") == "\\r\\n\\t\\x1b]0;title\\x07");
  CHECK(cli::printable_lines("two\nlines\x1b[2J\n", "  ") == "two\n  lines\\x1b[2J\n");
  CHECK(cli::printable("\xc2\x9b" "1m") == "\\u009b1m");            // the C1 control sequence introducer
  CHECK(cli::printable("nginx\xe2\x80\xaegnp.exe") == "nginx\\u202egnp.exe");
  CHECK(cli::printable("\xc0\xaf\xed\xa0\x80\xf5\xe2\x82") == "\\xc0\\xaf\\xed\\xa0\\x80\\xf5\\xe2\\x82");  // no UTF-8
}
