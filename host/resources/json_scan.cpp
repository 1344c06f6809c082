#include "host/resources/json_scan.h"

#include <algorithm>
#include <cstdint>

namespace berth::host::resources {
namespace {

constexpr int kMaxDepth = 512;  // ours: far beyond any configuration, well within the stack

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// How many bytes the UTF-8 sequence at the front has; 0 when it is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool second = follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return second && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool second = follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

std::uint32_t code_unit(std::string_view text, std::size_t at) {
  std::uint32_t unit = 0;
  for (std::size_t i = at; i < at + 4; ++i) unit = unit * 16 + static_cast<std::uint32_t>(hex_digit(text[i]));
  return unit;
}

/// Decodes the \u escape whose four digits begin at `at`, with its second half if it is a pair; moves behind it.
std::uint32_t escaped_code(std::string_view text, std::size_t& at) {
  const auto first = code_unit(text, at);
  at += 4;
  if (first < 0xD800 || first > 0xDFFF) return first;
  const bool pair = first < 0xDC00 && at + 6 <= text.size() && text[at] == '\\' && text[at + 1] == 'u';
  const auto second = pair ? code_unit(text, at + 2) : 0;
  if (second < 0xDC00 || second > 0xDFFF) return 0xFFFD;
  at += 6;
  return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
}

}  // namespace

Error JsonScan::wrong_at(std::size_t at, std::string_view reason) const {
  const auto before = text_.substr(0, std::min(at, text_.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const auto newline = before.rfind('\n');
  const auto column = before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
  return fail(Errc::unparsable, std::string{file_} + ":" + std::to_string(line) + ":" + std::to_string(column) +
                                    " (line:column): " + std::string{reason});
}

void JsonScan::skip_space() {
  while (!ended() && is_space(peek())) ++at_;
}

Status JsonScan::expect(char c, std::string_view where) {
  if (!ended() && peek() == c) {
    ++at_;
    return {};
  }
  return wrong(std::string{"expected '"} + c + "' " + std::string{where} +
               (ended() ? ", found the end of the file" : ""));
}

Status JsonScan::check_encoding() const {
  if (text_.starts_with("\xEF\xBB\xBF")) return wrong_at(0, "a byte order mark (BOM), which engines refuse");
  if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) return wrong_at(0, "this is UTF-16, not UTF-8");
  for (std::size_t at = 0; at < text_.size();) {
    const auto length = utf8_length(text_.substr(at));
    if (length == 0) return wrong_at(at, "not UTF-8");
    at += length;
  }
  if (std::ranges::all_of(text_, is_space)) return wrong_at(0, "the file is empty, which engines refuse");
  return {};
}

Status JsonScan::string() {
  TRY(expect('"', "where a string begins"));
  while (!ended() && peek() != '"') {
    if (static_cast<unsigned char>(peek()) < 0x20) return wrong("a control character inside a string");
    if (peek() != '\\') {
      ++at_;
      continue;
    }
    ++at_;
    const char escape = peek();
    if (ended() || std::string_view{"\"\\/bfnrtu"}.find(escape) == std::string_view::npos) {
      return wrong("an unknown escape inside a string");
    }
    ++at_;
    for (int i = 0; escape == 'u' && i < 4; ++i, ++at_) {
      if (ended() || hex_digit(peek()) < 0) return wrong("\\u needs four hexadecimal digits");
    }
  }
  return expect('"', "at the end of a string");
}

Status JsonScan::name() {
  if (peek() == '/') return wrong("a comment, which JSON does not have");
  if (peek() == '}') return wrong("a comma with no member after it");
  if (peek() != '"') return wrong("expected a member's name in quotes");
  return string();
}

bool JsonScan::digits() {
  const auto begin = at_;
  while (!ended() && is_digit(peek())) ++at_;
  return at_ > begin;
}

Status JsonScan::number() {
  if (peek() == '-') ++at_;
  const auto begin = at_;
  if (!digits()) return wrong("a number needs a digit here");
  if (text_[begin] == '0' && at_ > begin + 1) return wrong_at(begin, "a number does not begin with 0");
  if (peek() == '.') {
    ++at_;
    if (!digits()) return wrong("a number needs a digit after its point");
  }
  if (peek() == 'e' || peek() == 'E') {
    ++at_;
    if (peek() == '+' || peek() == '-') ++at_;
    if (!digits()) return wrong("a number needs a digit in its exponent");
  }
  return {};
}

Status JsonScan::word(std::string_view word) {
  if (text_.substr(at_, word.size()) != word) return wrong("not a JSON value");
  at_ += word.size();
  return {};
}

Status JsonScan::object(int depth) {
  TRY(expect('{', "where an object begins"));
  skip_space();
  if (peek() == '}') return expect('}', "");
  for (;;) {
    skip_space();
    TRY(name());
    skip_space();
    TRY(expect(':', "after a member's name"));
    skip_space();
    TRY(value(depth));
    skip_space();
    if (peek() == '}') return expect('}', "");
    TRY(expect(',', "or '}' after a member"));
  }
}

Status JsonScan::array(int depth) {
  TRY(expect('[', "where a list begins"));
  skip_space();
  if (peek() == ']') return expect(']', "");
  for (;;) {
    skip_space();
    TRY(value(depth));
    skip_space();
    if (peek() == ']') return expect(']', "");
    TRY(expect(',', "or ']' after an item"));
  }
}

Status JsonScan::value(int depth) {
  if (depth > kMaxDepth) return wrong("nested too deep");
  if (ended()) return wrong("expected a value, found the end of the file");
  switch (peek()) {
    case '{': return object(depth + 1);
    case '[': return array(depth + 1);
    case '"': return string();
    case 't': return word("true");
    case 'f': return word("false");
    case 'n': return word("null");
    case '/': return wrong("a comment, which JSON does not have");
    default: break;
  }
  if (peek() == '-' || is_digit(peek())) return number();
  return wrong("not a JSON value");
}

std::string decode_string(std::string_view quoted) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const auto text = quoted.substr(1, quoted.size() - 2);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\') {
      out += text[at++];
      continue;
    }
    const char escape = text[at + 1];
    at += 2;
    if (escape == 'u') append_utf8(out, escaped_code(text, at));
    else out += kMeanings[kEscapes.find(escape)];
  }
  return out;
}

}  // namespace berth::host::resources
