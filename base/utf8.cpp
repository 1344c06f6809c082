#include "base/utf8.h"

#include <array>

namespace berth {
namespace {

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

}  // namespace

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

std::string repaired_utf8(std::string_view text) {
  std::string repaired;
  while (!text.empty()) {
    const auto size = first_character(text).size;
    repaired += size == 0 ? "\xEF\xBF\xBD" : text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return repaired;
}

}  // namespace berth
