#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::holder::engine {

/// Takes apart the stream that a container without a terminal answers: 8 bytes of head (stream 0..2, three
/// zeros, length big-endian), then that many bytes, cut anywhere between two calls. Terminal output taken for
/// frames shows as a head that cannot be, and is an error instead of a 2 GB read. Bounded by one frame.
class FrameParser {
 public:
  static constexpr std::size_t kMaxFrame = std::size_t{1} << 20;
  using Sink = std::function<void(int stream, std::string_view payload)>;

  Status feed(std::string_view bytes, const Sink& sink);
  /// The stream has ended: an error if that was inside a frame.
  Status finish() const;

 private:
  Status read_head();

  std::string head_;
  std::string payload_;
  std::size_t missing_ = 0;  // bytes of the current payload still to come
  int stream_ = 0;
  bool in_payload_ = false;
};

}  // namespace berth::holder::engine
