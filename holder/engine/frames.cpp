#include "holder/engine/frames.h"

#include <algorithm>

namespace berth::holder::engine {
namespace {
constexpr std::size_t kHead = 8;
}

Status FrameParser::read_head() {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(head_[i]); };
  const std::size_t length =
      std::size_t{at(4)} << 24 | std::size_t{at(5)} << 16 | std::size_t{at(6)} << 8 | at(7);
  if (at(0) > 2 || at(1) != 0 || at(2) != 0 || at(3) != 0 || length > kMaxFrame) {
    return fail(Errc::engine_refused, "logs: the engine's stream has a frame head that cannot be");
  }
  stream_ = at(0);
  missing_ = length;
  in_payload_ = true;
  head_.clear();
  payload_.clear();
  return {};
}

Status FrameParser::feed(std::string_view bytes, const Sink& sink) {
  for (;;) {
    if (!in_payload_) {
      const auto taken = std::min(kHead - head_.size(), bytes.size());
      head_.append(bytes.substr(0, taken));
      bytes.remove_prefix(taken);
      if (head_.size() < kHead) return {};
      TRY(read_head());
    }
    const auto taken = std::min(missing_, bytes.size());
    payload_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    missing_ -= taken;
    if (missing_ > 0) return {};
    sink(stream_, payload_);
    in_payload_ = false;
  }
}

Status FrameParser::finish() const {
  if (!in_payload_ && head_.empty()) return {};
  return fail(Errc::engine_unreachable, "logs: the engine's stream ended inside a frame");
}

}  // namespace berth::holder::engine
