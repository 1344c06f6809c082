#include "base/markup.h"

#include "base/utf8.h"

namespace berth {

std::string escaped_markup(std::string_view text) {
  const auto whole = repaired_utf8(text);
  std::string out;
  out.reserve(whole.size());
  for (const char c : whole) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':  // a value's would become a space
        out += "&#10;";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 && c != '\t') {
          out += "&#x24" + std::string(1, c < 0x10 ? '0' : '1') + "0123456789abcdef"[c & 15] + ";";
        } else {
          out += c;
        }
    }
  }
  return out;
}

}  // namespace berth
