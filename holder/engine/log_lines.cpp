#include "holder/engine/log_lines.h"

#include <algorithm>
#include <iterator>

#include "holder/engine/log_bounds.h"
#include "holder/engine/utf8.h"
#include "holder/engine/words.h"

namespace berth::holder::engine {
namespace {

struct Stamped {
  std::string_view stamp, text;
};

/// Splits "stamp text"; what has no stamp is all text.
Stamped split_stamp(std::string_view piece) {
  const auto space = piece.find(' ');
  const bool stamped =
      space != std::string_view::npos && space >= 20 && space <= 35 && piece[4] == '-' && piece[10] == 'T';
  if (!stamped) return {{}, piece};
  return {piece.substr(0, space), piece.substr(space + 1)};
}

std::string_view without_line_end(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

}  // namespace

void LogLines::keep(LogLine line) {
  bytes_ += line.text.size() + line.at.size();
  lines_.push_back(std::move(line));
  while (bytes_ > max_bytes_ && lines_.size() > 1) {
    bytes_ -= lines_.front().text.size() + lines_.front().at.size();
    lines_.pop_front();
    truncated_ = true;
  }
}

void LogLines::close(int stream) {
  auto& open = open_[stream];
  if (!open) return;
  keep({time_text(open->stamp), stream == 2 ? "stderr" : "stdout", valid_utf8(without_line_end(open->text))});
  open.reset();
}

void LogLines::add(int stream, std::string_view piece) {
  ++pieces_;
  const auto [stamp, text] = split_stamp(piece);
  auto& open = open_[stream];
  if (open && kind_ == Kind::docker && open->stamp != stamp)
    close(stream);  // a line that never got its newline
  if (!open) open = Open{std::string{stamp}, {}};
  const auto room = kMaxLine - std::min(kMaxLine, open->text.size());
  if (text.size() > room) truncated_ = true;
  open->text.append(text.substr(0, room));
  if (text.ends_with('\n')) close(stream);
}

void LogLines::add_terminal_line(std::string_view line) {
  ++pieces_;
  const auto [stamp, text] = split_stamp(line);
  if (text.size() > kMaxLine) truncated_ = true;
  keep({time_text(stamp), "stdout", valid_utf8(without_line_end(text.substr(0, kMaxLine)))});
}

void LogLines::add_terminal(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto part = bytes.substr(0, end == std::string_view::npos ? end : end + 1);
    if (terminal_.size() < kMaxLine + 64) terminal_.append(part);
    bytes.remove_prefix(part.size());
    if (end == std::string_view::npos) return;
    add_terminal_line(terminal_);
    terminal_.clear();
  }
}

Logs LogLines::finish(std::int64_t tail, const std::string& since) {
  for (int stream = 0; stream < 3; ++stream) close(stream);
  if (!terminal_.empty()) add_terminal_line(terminal_);
  terminal_.clear();
  std::erase_if(lines_, [&](const LogLine& line) { return !line.at.empty() && !may_be_from(line.at, since); });
  std::ranges::stable_sort(lines_, {}, &LogLine::at);
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(0, tail));
  if (lines_.size() > wanted) {
    lines_.erase(lines_.begin(), std::prev(lines_.end(), static_cast<std::ptrdiff_t>(wanted)));
    truncated_ = true;
  }
  return {{std::make_move_iterator(lines_.begin()), std::make_move_iterator(lines_.end())}, truncated_};
}

}  // namespace berth::holder::engine
