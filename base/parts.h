#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth {

/// What no document that goes over the bus exceeds, whole or in parts.
inline constexpr std::size_t kMostWhole = std::size_t{32} << 20;

/// One of the numbered parts of a document that is larger than one message of the bus (docs/formats.md,
/// "Parts"). It says which bytes it is and of what, so that a reader can tell one that is lost, came twice or
/// is another's.
struct Part {
  std::string whole;        // the document's name
  std::string sha256;       // of the whole document
  std::size_t part = 0;     // from 1
  std::size_t parts = 0;    // how many there are
  std::size_t at = 0;       // where its bytes begin in the whole
  std::size_t bytes = 0;    // of the whole
  std::string text;         // its bytes
  std::uint64_t first = 0;  // in a stream: the sequence of the first part; 0: this is the first, or no stream

  bool is_last() const { return at + text.size() == bytes; }
  std::string document() const;
  static Result<Part> parse(std::string_view message);
};

/// Whether a message is a part: a look at its first bytes, without parsing it.
bool is_part(std::string_view message);

/// A UTF-8 document as parts whose documents have at most `room` bytes each. Errc::too_large when it is over
/// kMostWhole, or when not even a part has room.
Result<std::vector<Part>> split(std::string_view whole, std::string_view name, std::size_t room);

/// Puts the parts of one document together again, in order.
class Joining {
 public:
  explicit Joining(const Part& any) : whole_(any.whole), sha256_(any.sha256), bytes_(any.bytes) {}

  bool is_of(const Part& part) const {
    return part.whole == whole_ && part.sha256 == sha256_ && part.bytes == bytes_;
  }
  /// Takes the next part; one that is here already changes nothing. Errc::conflict when one before it is
  /// missing, or when it is of another document.
  Status take(const Part& part);
  std::size_t have() const { return text_.size(); }
  std::size_t bytes() const { return bytes_; }
  bool is_whole() const { return text_.size() == bytes_; }
  /// The document, once whole. Errc::conflict when it is not what its sender named.
  Result<std::string> document() &&;

 private:
  std::string whole_, sha256_;
  std::size_t bytes_;
  std::string text_;
};

}  // namespace berth
