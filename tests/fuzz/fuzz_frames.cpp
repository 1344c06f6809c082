// A container's log as an engine streams it, in frames or from a terminal, cut anywhere: bounded, valid UTF-8, in
// time order, and the same however it was cut.
#include "base/utf8.h"
#include "holder/engine/frames.h"
#include "holder/engine/log_lines.h"
#include "tests/fuzz/fuzz.h"

namespace berth::fuzz {
namespace {

using holder::engine::FrameParser;
using holder::engine::Kind;
using holder::engine::LogLines;
using holder::engine::Logs;

constexpr std::size_t kBudget = 4096;

/// The frames' payloads, "" where they are none.
std::string framed(std::string_view bytes, bool cut, LogLines& lines) {
  FrameParser frames;
  std::string all;
  Status status;
  const auto sink = [&](int stream, std::string_view payload) {
    must_hold(stream >= 0 && stream <= 2, "a stream is 0, 1 or 2");
    must_hold(payload.size() <= FrameParser::kMaxFrame, "a frame is bounded");
    all += static_cast<char>('0' + stream) + std::string{payload};
    lines.add(stream, payload);
  };
  if (cut)
    in_pieces(bytes, [&](std::string_view piece) {
      if (status) status = frames.feed(piece, sink);
    });
  else
    status = frames.feed(bytes, sink);
  return status ? all + (frames.finish() ? "." : "~") : "";
}

void is_well_formed(const Logs& logs) {
  std::size_t bytes = 0;
  for (const auto& line : logs.lines) {
    bytes += line.text.size();
    must_hold(repaired_utf8(line.text) == line.text, "a line is UTF-8");
    must_hold(line.stream == "stdout" || line.stream == "stderr", "a stream has a name, not " + line.stream);
  }
  must_hold(logs.lines.size() <= 50, "as many lines as asked for");
  must_hold(bytes <= 4 * kBudget, "the lines are bounded");
}

}  // namespace

void take_frames(std::string_view bytes) {
  for (const auto kind : {Kind::docker, Kind::podman}) {
    LogLines whole{kind, kBudget}, cut{kind, kBudget}, terminal{kind, kBudget};
    const auto together = framed(bytes, false, whole), apart = framed(bytes, true, cut);
    must_hold(together == apart || together.empty() || apart.empty(), "frames are the same however they are cut");
    is_well_formed(whole.finish(50));
    in_pieces(bytes, [&](std::string_view piece) { terminal.add_terminal(piece); });
    is_well_formed(terminal.finish(50));
  }
}

}  // namespace berth::fuzz
