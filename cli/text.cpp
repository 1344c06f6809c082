#include "cli/text.h"

#include <array>
#include <cstdio>

#include "base/utf8.h"

namespace berth::cli {
namespace {

/// Controls of both sets, marks and overrides of direction, line separators, zero-width characters.
bool is_unsafe(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x2069) || code == 0x061C || code == 0xFEFF;
}

std::string escaped(char32_t code, bool is_character) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code == '\r') return "\\r";
  std::array<char, 16> text{};
  const char* form = is_character && code > 0x7F ? "\\u%04x" : "\\x%02x";
  std::snprintf(text.data(), text.size(), form, static_cast<unsigned>(code));
  return text.data();
}

}  // namespace

std::string printable(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const auto [code, size] = first_character(text);
    if (size == 0 || is_unsafe(code)) safe += escaped(code, size != 0);
    else safe += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return safe;
}

std::string printable_lines(std::string_view text, std::string_view indent) {
  std::string safe;
  for (;;) {
    const auto end = text.find('\n');
    safe += printable(text.substr(0, end));
    if (end == std::string_view::npos) return safe;
    text.remove_prefix(end + 1);
    safe += '\n';
    if (!text.empty()) safe += indent;
  }
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0) == 0x80 ? 0 : 1;
  return width;
}

}  // namespace berth::cli
