#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::host::resources {

/// Walks over JSON text without building values: each call stands on the first byte of something and ends
/// behind it. The first thing wrong is kept as Errc::unparsable with line and column (both from 1, the column
/// counted in bytes).
class JsonScan {
 public:
  JsonScan(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  std::size_t at() const { return at_; }
  bool ended() const { return at_ >= text_.size(); }
  char peek() const { return ended() ? '\0' : text_[at_]; }
  void skip_space();
  Status expect(char c, std::string_view where);
  /// Refuses what is not UTF-8, a byte order mark and a text of white space alone.
  Status check_encoding() const;
  Status string();
  Status name();  // a string where a member's name must be
  Status value(int depth);
  Error wrong(std::string_view reason) const { return wrong_at(at_, reason); }
  Error wrong_at(std::size_t at, std::string_view reason) const;

 private:
  Status object(int depth);
  Status array(int depth);
  Status number();
  Status word(std::string_view word);
  bool digits();

  std::string_view text_;
  std::string_view file_;
  std::size_t at_ = 0;
};

/// The decoded text of a scanned string, quotes included; a lone surrogate becomes U+FFFD, as the engine does.
std::string decode_string(std::string_view quoted);

}  // namespace berth::host::resources
