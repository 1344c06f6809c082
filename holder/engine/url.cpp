#include "holder/engine/url.h"

#include <cstdio>

namespace berth::holder::engine {
namespace {

bool stands_for_itself(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == '~';
}

std::string encoded(std::string_view text, std::string_view kept) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (stands_for_itself(c) || kept.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

}  // namespace

std::string url_segment(std::string_view text) { return encoded(text, ""); }

Result<std::string> url_image(std::string_view reference) {
  const bool walks = reference.empty() || reference.front() == '/' || reference.back() == '/' ||
                     reference.find("..") != std::string_view::npos ||
                     reference.find("//") != std::string_view::npos;
  if (walks)
    return fail_field(Errc::bad_request, "image",
                      "\"" + std::string{reference} + "\" is not an image reference");
  return encoded(reference, "/:@");
}

std::string url_query(std::initializer_list<std::pair<std::string_view, std::string>> members) {
  std::string query;
  for (const auto& [name, value] : members) {
    if (value.empty()) continue;
    query += query.empty() ? '?' : '&';
    query += encoded(name, "") + "=" + encoded(value, "");
  }
  return query;
}

std::string engine_time(Time time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  char text[48];
  std::snprintf(text, sizeof text, "%lld.%09lld", static_cast<long long>(whole.time_since_epoch().count()),
                static_cast<long long>((time - whole).count()));
  return text;
}

}  // namespace berth::holder::engine
