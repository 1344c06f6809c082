#include "migrate/report/markup.h"

#include <array>
#include <cstdio>

#include "base/json.h"
#include "base/markup.h"

namespace berth::migrate::report_detail {
namespace {

using std::chrono::milliseconds;

constexpr auto kDash = "\u2013";

std::string class_of(std::string_view state) {
  std::string name{state};
  for (auto& c : name) {
    if (c == ' ') c = '_';
  }
  return name;
}

std::string two(std::int64_t n, const char* unit, std::int64_t m, const char* smaller) {
  auto text = std::to_string(n) + " " + unit;
  return m == 0 ? text : text + " " + std::to_string(m) + " " + smaller;
}

}  // namespace

std::string escaped(std::string_view text) { return escaped_markup(text); }

std::string instant(const Json& stamp) {
  if (!stamp.is_string() || stamp.get_ref<const std::string&>().size() < 19) return kDash;
  const auto& text = stamp.get_ref<const std::string&>();
  return escaped(text.substr(0, 10) + " " + text.substr(11, 8) + " UTC");
}

std::string clock_time(Time time) { return to_rfc3339(time).substr(11, 8); }

std::string duration(milliseconds length) {
  const auto ms = length.count();
  const auto s = ms / 1000;
  if (s < 10) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%.1f s", static_cast<double>(ms) / 1000.0);
    return text.data();
  }
  if (s < 60) return std::to_string(s) + " s";
  if (s < 3600) return two(s / 60, "min", s % 60, "s");
  if (s < 86400) return two(s / 3600, "h", s % 3600 / 60, "min");
  return two(s / 86400, "d", s % 86400 / 3600, "h");
}

std::string chip(std::string_view state) {
  std::string words{state};
  if (words == "backed_out") words = "backed out";
  return "<span class=\"chip " + class_of(escaped(state)) + "\">" + escaped(words) + "</span>";
}

std::string shown(const Json& object, std::string_view member) {
  if (!object.is_object()) return kDash;
  const auto at = object.find(std::string{member});
  if (at == object.end() || at->is_null()) return kDash;
  return escaped(at->is_string() ? at->get<std::string>() : at->dump());
}

std::string inside_script(const Json& document) {
  std::string out;
  for (const char c : document.dump(-1, ' ', false, Json::error_handler_t::replace))
    c == '<' ? out += "\\u003c" : out += c;
  return out;
}

}  // namespace berth::migrate::report_detail
