#pragma once
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "holder/engine/engine.h"

namespace berth::holder::engine {

/// Makes lines of stamped pieces: "2026-11-29T16:26:31.568797191Z text". A long line comes as several pieces
/// of one stream, each with the stamp again; Docker gives all of them the same stamp, Podman may not, and
/// sends the newline alone. Keeps the newest lines within a byte budget and says when older ones fell out.
class LogLines {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{8} << 20;
  static constexpr std::size_t kMaxLine = std::size_t{256} << 10;  // the rest of a longer one is cut

  explicit LogLines(Kind kind, std::size_t max_bytes = kMaxBytes) : kind_(kind), max_bytes_(max_bytes) {}

  void add(int stream, std::string_view piece);
  /// Terminal output: no frames, lines end in "\r\n" or "\n", cut anywhere between two calls.
  void add_terminal(std::string_view bytes);
  /// How many pieces, or terminal lines, came.
  std::int64_t pieces() const { return pieces_; }
  /// How many lines ended so far; the first may lack its beginning.
  std::int64_t whole_lines() const { return static_cast<std::int64_t>(lines_.size()); }
  /// The lines that ended so far, in the order they did, which are then forgotten.
  std::deque<LogLine> take() {
    bytes_ = 0;
    return std::exchange(lines_, {});
  }
  /// All lines from `since` on (RFC 3339; empty: from the first), both streams in the order of their stamps, the
  /// newest `tail` of them, as valid UTF-8; `truncated` when there were more.
  Logs finish(std::int64_t tail, const std::string& since = "");

 private:
  struct Open {
    std::string stamp, text;
  };
  void close(int stream);
  void keep(LogLine line);
  void add_terminal_line(std::string_view line);

  Kind kind_;
  std::size_t max_bytes_;
  std::optional<Open> open_[3];
  std::string terminal_;
  std::deque<LogLine> lines_;
  std::size_t bytes_ = 0;
  std::int64_t pieces_ = 0;
  bool truncated_ = false;
};

}  // namespace berth::holder::engine
