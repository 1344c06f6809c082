#include "holder/engine/event_lines.h"

namespace berth::holder::engine {

void LineCutter::feed(std::string_view bytes, const std::function<void(std::string_view line)>& sink) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto part = bytes.substr(0, end);
    if (!dropping_ && line_.size() + part.size() > kMaxLine) {
      dropping_ = true;
      ++dropped_;
      line_.clear();
    }
    if (!dropping_) line_.append(part);
    if (end == std::string_view::npos) return;
    if (!dropping_ && !line_.empty()) sink(line_);
    line_.clear();
    dropping_ = false;
    bytes.remove_prefix(end + 1);
  }
}

}  // namespace berth::holder::engine
