#include "holder/boxes/names.h"

#include <algorithm>

namespace berth::holder::boxes {

bool BoxTag::allows(std::string_view text) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= 40 && plain(text.front()) && plain(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return plain(c) || c == '-'; });
}

}  // namespace berth::holder::boxes
