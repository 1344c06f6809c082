#include "catalogue/kinds.h"

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/json.h"

namespace berth::catalogue {
namespace {

bool is_absolute(const Json& value) {
  if (!is_text(value)) return false;
  const std::filesystem::path path{value.get<std::string>()};
  return path.is_absolute() && path.lexically_normal() == path;
}

bool is_mode(const Json& value) {
  if (!is_text(value)) return false;
  const auto& text = value.get_ref<const std::string&>();
  return text.size() == 4 && text[0] == '0' &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '7'; });
}

}  // namespace

bool is_text(const Json& value) { return value.is_string() && !value.get_ref<const std::string&>().empty(); }
bool are_texts(const Json& list) { return list.is_array() && std::ranges::all_of(list, is_text); }

/// {"of": [ids], "do": reload|restart} or {"of": [ids], "do": "signal", "signal": HUP|USR1|USR2}.
bool is_change(const Json& value) {
  if (!value.is_object() || !value.contains("of") || !are_texts(value["of"]) || value["of"].empty())
    return false;
  const auto act = value.value("do", Json{});
  if (act == "signal") {
    const auto signal = value.value("signal", Json{});
    return value.size() == 3 && (signal == "HUP" || signal == "USR1" || signal == "USR2");
  }
  return value.size() == 2 && (act == "reload" || act == "restart");
}

Verdict judge(Kind kind, const Json& value) {
  switch (kind) {
    case Kind::text:
    case Kind::name:
      return {is_text(value), "must be a text that is not empty"};
    case Kind::absolute_path:
      return {is_absolute(value), "must be an absolute path in its shortest form"};
    case Kind::mode:
      return {is_mode(value), "must be a mode such as \"0644\""};
    case Kind::boolean:
      return {value.is_boolean(), "must be true or false"};
    case Kind::object:
      return {value.is_object(), "must be an object"};
    case Kind::texts:
      return {are_texts(value), "must be a list of texts"};
    case Kind::text_map:
      return {value.is_object() && std::ranges::all_of(value, is_text), "must be an object of texts"};
    case Kind::content:
      return {value.is_string(), "must be a text"};
    case Kind::change:
      return {is_change(value),
              "must be {\"of\": [ids], \"do\": reload, restart or signal (HUP, USR1, USR2)}"};
  }
  return {false, "is of no known kind"};
}

bool may_stand_in_manifest(Kind kind, const Json& value) {
  if (value.is_string() && value.get_ref<const std::string&>().find("${") != std::string::npos) return true;
  if (kind == Kind::name && value.is_object()) return true;
  if (kind == Kind::content && value.is_object()) return true;
  return judge(kind, value).ok;
}

}  // namespace berth::catalogue
