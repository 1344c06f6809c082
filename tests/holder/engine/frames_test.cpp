#include "holder/engine/frames.h"
#include "catch.h"

#include <vector>

namespace berth::test {
namespace {

using holder::engine::FrameParser;

std::string frame(char stream, std::string_view payload) {
  std::string head{stream, 0, 0, 0};
  for (int shift = 24; shift >= 0; shift -= 8) head += static_cast<char>(payload.size() >> shift & 0xff);
  return head + std::string{payload};
}

/// "1:out" for every frame that came out, then how it ended.
std::vector<std::string> parsed(std::string_view bytes, std::size_t step) {
  FrameParser parser;
  std::vector<std::string> seen;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const auto fed = parser.feed(bytes.substr(at, step), [&](int stream, std::string_view payload) {
      seen.push_back(std::to_string(stream) + ":" + std::string{payload});
    });
    if (!fed) return seen.push_back("refused"), seen;
  }
  if (!parser.finish()) seen.push_back("cut");
  return seen;
}

}  // namespace

TEST_CASE("frames come out the same wherever the bytes were cut") {
  const auto bytes = frame(1, "one\n") + frame(2, "") + frame(2, "two") + frame(0, std::string(300, 'x'));
  const std::vector<std::string> whole = {"1:one\n", "2:", "2:two", "0:" + std::string(300, 'x')};
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    CAPTURE(step);
    CHECK(parsed(bytes, step) == whole);
  }
}

TEST_CASE("a stream that ends inside a frame is cut, at every byte of it but the ends") {
  const auto bytes = frame(1, "hello") + frame(2, "there");
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    CAPTURE(length);
    const auto seen = parsed(std::string_view{bytes}.substr(0, length), 1000);
    const bool at_an_end = length == 0 || length == 13 || length == bytes.size();
    CHECK((!seen.empty() && seen.back() == "cut") == !at_an_end);
  }
}

TEST_CASE("text taken for frames, and a frame too large, are refused and not waited for") {
  CHECK(parsed("plain text of a terminal\r\n", 100) == std::vector<std::string>{"refused"});
  CHECK(parsed(std::string("\x03\0\0\0\0\0\0\x01x", 9), 100) == std::vector<std::string>{"refused"});
  CHECK(parsed(std::string("\x01\0\x01\0\0\0\0\x01x", 9), 100) == std::vector<std::string>{"refused"});
  CHECK(parsed(std::string("\x01\0\0\0\x7f\xff\xff\xff", 8), 100) == std::vector<std::string>{"refused"});
}

}  // namespace berth::test
