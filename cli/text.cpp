#include "cli/text.h"

#include <array>
#include <cstdio>

namespace berth::cli {
namespace {

struct Character {
  char32_t code;
  std::size_t size;  // bytes; 0 when the bytes are no UTF-8
};

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

Character first_character(std::string_view text) {
  static constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<unsigned char>(text[0]);
  const auto size = sequence_length(lead);
  if (size == 0 || size > text.size()) return {lead, 0};
  if (size == 1) return {lead, 1};
  char32_t code = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return {lead, 0};
    code = code << 6 | (next & 0x3FU);
  }
  const bool whole = code >= kSmallest[size] && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  return {whole ? code : lead, whole ? size : 0};
}

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

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += (static_cast<unsigned char>(c) & 0xC0) == 0x80 ? 0 : 1;
  return width;
}

}  // namespace berth::cli
