#include <deque>

#include "holder/boxes/running.h"
#include "tests/holder/boxes/boxes_world.h"

namespace berth::test {
namespace {

using namespace holder::boxes;
using std::chrono::milliseconds;

/// Says its pieces, one a read, then nothing more; or fails where it is told to.
class ToldStream final : public Stream {
 public:
  explicit ToldStream(std::deque<Result<std::optional<Piece>>> pieces) : pieces_(std::move(pieces)) {}
  Result<std::optional<Piece>> read(milliseconds) override {
    if (pieces_.empty()) return std::optional<Piece>{};
    auto piece = std::move(pieces_.front());
    pieces_.pop_front();
    return piece;
  }
  Status write(std::string_view) override { return {}; }
  Status close_input() override { return {}; }
  Status resize(Terminal) override { return {}; }
  Status kill() override {
    killed = true;
    return {};
  }
  bool killed = false;

 private:
  std::deque<Result<std::optional<Piece>>> pieces_;
};

std::optional<Stream::Piece> said(const std::string& text, Stream::From from = Stream::From::out) {
  return Stream::Piece{from, text, 0};
}
std::optional<Stream::Piece> ends(int code) { return Stream::Piece{Stream::From::end, {}, code}; }

std::string refused_field(const Command& command) {
  const auto checked = check_command(command);
  return checked ? std::string{"taken"} : checked.error().field;
}

}  // namespace

TEST_CASE("a run keeps both streams up to their bound together, and its end", "[boxes][run]") {
  ToldStream stream{{said("12345"), said("abc", Stream::From::err), said("6789"), ends(3)}};
  const auto done = have(run_to_end(stream, {.limit = {}, .max_output = 10}, std::chrono::seconds{5}));
  CHECK(done.out == "1234567");
  CHECK(done.err == "abc");
  CHECK(done.truncated);
  CHECK(done.exit_code == 3);
  CHECK(!stream.killed);
}

TEST_CASE("a run that passes its limit is killed and keeps what it said", "[boxes][run]") {
  ToldStream stream{{said("begun")}};
  const auto done = have(run_to_end(stream, {.limit = milliseconds{30}}, std::chrono::seconds{60}));
  CHECK(done.timed_out);
  CHECK(done.exit_code == 137);
  CHECK(done.out == "begun");
  CHECK(stream.killed);
}

TEST_CASE("a run whose stream is lost is an error, never an empty answer", "[boxes][run]") {
  ToldStream stream{{said("begun"), fail(Errc::engine_unreachable, "gone")}};
  const auto done = run_to_end(stream, {}, std::chrono::seconds{5});
  REQUIRE(!done);
  CHECK(done.error().code == Errc::engine_unreachable);
}

TEST_CASE("a run is killed when berth ends", "[boxes][run]") {
  std::stop_source stop;
  stop.request_stop();
  ToldStream stream{{}};
  const auto done =
      run_to_end(stream, {.limit = {}, .max_output = 1, .stop = stop.get_token()}, std::chrono::seconds{60});
  REQUIRE(!done);
  CHECK(stream.killed);
}

TEST_CASE("a command that cannot be is refused by its member", "[boxes][run]") {
  CHECK(refused_field({{"true"}, {}, {}}) == "taken");
  CHECK(refused_field({{}, {}, {}}) == "command");
  CHECK(refused_field({{""}, {}, {}}) == "command");
  CHECK(refused_field({{std::string{"a\0b", 3}}, {}, {}}) == "command");
  CHECK(refused_field({{"true"}, "work", {}}) == "dir");
  CHECK(refused_field({{"true"}, {}, {{"A=B", "x"}}}) == "environment");
  CHECK(refused_field({{"true"}, {}, {{"", "x"}}}) == "environment");
  CHECK(refused_field({{"true"}, {}, {{kMark, "x"}}}) == "environment");
  CHECK(refused_field({{"true", std::string(200'000, 'x')}, {}, {}}) == "command");
}

TEST_CASE("a box's id is a name and nothing else", "[boxes]") {
  for (const auto* good : {"a", "box-1", "0", "a1234567890123456789012345678901234567bc"})
    CHECK(BoxId::parse(good).ok());
  for (const auto* bad : {"", "-a", "a-", "A", "a_b", "a/b", "..", "a b", "a\n",
                          "a12345678901234567890123456789012345678bc", "é"}) {
    INFO(bad);
    CHECK(!BoxId::parse(bad));
  }
}

TEST_CASE("asking for a runtime when none is set is an error", "[boxes]") {
  RuntimeSlot slot;
  const auto none = slot.runtime();
  REQUIRE(!none);
  CHECK(none.error().detail.find("no box runtime is set") != std::string::npos);
}

}  // namespace berth::test
