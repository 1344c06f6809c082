#include "base/names.h"

#include <algorithm>

namespace berth {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool TokenRule::allows(std::string_view text) {
  return !text.empty() && text.size() <= 63 && text.front() != '-' &&
         std::ranges::all_of(text, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

bool ContainerRefTag::allows(std::string_view text) {
  const auto inner = [](char c) {
    return is_lower(c) || is_upper(c) || is_digit(c) || c == '_' || c == '.' || c == '-';
  };
  return !text.empty() && text.size() <= 255 &&
         (is_lower(text[0]) || is_upper(text[0]) || is_digit(text[0])) && std::ranges::all_of(text, inner);
}

}  // namespace berth
