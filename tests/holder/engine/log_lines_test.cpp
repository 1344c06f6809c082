#include "holder/engine/log_lines.h"
#include "catch.h"

namespace berth::test {
namespace {

using holder::engine::Kind;
using holder::engine::LogLines;
using holder::engine::Logs;

const std::string kFirst = "2026-11-29T16:26:31.100000000Z ";
const std::string kSecond = "2026-11-29T16:26:31.200000000Z ";

/// "stdout|text" a line.
std::string text_of(const Logs& logs) {
  std::string text;
  for (const auto& line : logs.lines) text += line.stream + "|" + line.text + "\n";
  return text;
}

}  // namespace

TEST_CASE("a long line's pieces are one line, its stamp said once") {
  LogLines docker{Kind::docker};
  docker.add(1, kFirst + "aaa");
  docker.add(2, kSecond + "err\n");
  docker.add(1, kFirst + "bbb");
  docker.add(1, kFirst + "ccc\n");
  CHECK(text_of(docker.finish(10)) == "stdout|aaabbbccc\nstderr|err\n");
}

TEST_CASE("Podman sends the newline alone, with another stamp") {
  LogLines podman{Kind::podman};
  podman.add(1, "2026-11-29T16:27:09Z aaa");
  podman.add(1, "2026-11-29T16:27:10Z \n");
  const auto logs = podman.finish(10);
  CHECK(text_of(logs) == "stdout|aaa\n");
  CHECK(logs.lines[0].at == "2026-11-29T16:27:09.000000000Z");
}

TEST_CASE("a line that never got its newline is not glued to the next run's first") {
  LogLines docker{Kind::docker};
  docker.add(1, kFirst + "no newline at end");
  docker.add(1, kSecond + "next run\n");
  CHECK(text_of(docker.finish(10)) == "stdout|no newline at end\nstdout|next run\n");
}

TEST_CASE("a character split over two pieces is whole, and a bad byte hides no line") {
  LogLines podman{Kind::podman};
  podman.add(1, "2026-11-29T16:27:08Z \xC3");
  podman.add(1, "2026-11-29T16:27:08Z \xA9 split\n");
  podman.add(1,
             "2026-11-29T16:27:08Z a\xFF\xFE"
             "b\n");
  podman.add(1, "2026-11-29T16:27:08Z after\n");
  CHECK(text_of(podman.finish(10)) ==
        "stdout|\xC3\xA9 split\nstdout|a\xEF\xBF\xBD\xEF\xBF\xBD"
        "b\nstdout|after\n");
}

TEST_CASE("both streams are in the order of their stamps, and equal stamps as they came") {
  LogLines docker{Kind::docker};
  docker.add(1, kSecond + "later\n");
  docker.add(2, kFirst + "earlier\n");
  docker.add(1, kSecond + "later still\n");
  CHECK(text_of(docker.finish(10)) == "stderr|earlier\nstdout|later\nstdout|later still\n");
}

TEST_CASE("a stamp in another offset is put in UTC") {
  LogLines podman{Kind::podman};
  podman.add(1, "2026-11-29T18:27:08+02:00 x\n");
  CHECK(podman.finish(10).lines[0].at == "2026-11-29T16:27:08.000000000Z");
}

TEST_CASE("the newest lines within the budget are kept, and that older ones fell out is said") {
  LogLines docker{Kind::docker, 1000};
  for (int i = 0; i < 100; ++i) docker.add(1, kFirst + "line " + std::to_string(i) + "\n");
  const auto logs = docker.finish(200);
  CHECK(logs.truncated);
  CHECK(logs.lines.size() < 40);
  CHECK(logs.lines.back().text == "line 99");
}

TEST_CASE("a line beyond its bound is cut, said so, and the next one is whole") {
  LogLines docker{Kind::docker};
  const std::string piece(16384, 'x');
  for (std::size_t sent = 0; sent < 2 * LogLines::kMaxLine; sent += piece.size())
    docker.add(1, kFirst + piece);
  docker.add(1, kFirst + "end\n");
  docker.add(1, kSecond + "next\n");
  const auto logs = docker.finish(10);
  REQUIRE(logs.lines.size() == 2);
  CHECK(logs.truncated);
  CHECK(logs.lines[0].text.size() == LogLines::kMaxLine);
  CHECK(logs.lines[1].text == "next");
}

TEST_CASE("terminal output is lines wherever it was cut, with control bytes as they are") {
  const std::string bytes = kFirst + "one\r\n" + kFirst + "a\tb\x1b[31m\r\n" + kSecond + "no end";
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    LogLines docker{Kind::docker};
    for (std::size_t at = 0; at < bytes.size(); at += step)
      docker.add_terminal(std::string_view{bytes}.substr(at, step));
    CHECK(text_of(docker.finish(10)) == "stdout|one\nstdout|a\tb\x1b[31m\nstdout|no end\n");
  }
}

TEST_CASE("pieces with no stamp at all are text with no time") {
  LogLines docker{Kind::docker};
  docker.add(1, "");
  docker.add(1, "short\n");
  docker.add(2, "a b c d e f g h i j k l m n o p\n");
  const auto logs = docker.finish(10);
  REQUIRE(logs.lines.size() == 2);
  CHECK(logs.lines[0].at.empty());
}

}  // namespace berth::test
