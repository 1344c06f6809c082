#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace berth::holder::engine {

/// Cuts a stream of bytes into lines. One longer than the bound is dropped to its end and counted: a label of
/// a megabyte must not end the stream for all others.
class LineCutter {
 public:
  static constexpr std::size_t kMaxLine = std::size_t{8} << 20;

  void feed(std::string_view bytes, const std::function<void(std::string_view line)>& sink);
  std::size_t dropped() const { return dropped_; }
  /// What came after the last newline.
  const std::string& rest() const { return line_; }

 private:
  std::string line_;
  std::size_t dropped_ = 0;
  bool dropping_ = false;
};

}  // namespace berth::holder::engine
