#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace berth {

/// The first character of a text that is not empty. `size` 0: its first byte begins no UTF-8 character, and
/// `code` is that byte.
struct Character {
  char32_t code;
  std::size_t size;
};
Character first_character(std::string_view text);

/// The text with U+FFFD for each byte that is no UTF-8: what comes from files, engines and processes and goes
/// into a document, which could not be written otherwise.
std::string repaired_utf8(std::string_view text);

}  // namespace berth
