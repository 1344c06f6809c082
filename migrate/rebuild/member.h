#pragma once
#include <cstdint>
#include <string>

#include "base/json.h"

namespace berth::migrate::rebuild_detail {

/// A member as text; empty where it is missing or something else: what comes from a stream may be anything.
inline std::string text_in(const Json& document, const char* key) {
  if (!document.is_object()) return {};
  const auto at = document.find(key);
  return at != document.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

/// A member, null where it is missing.
inline Json member_in(const Json& document, const char* key) {
  return document.is_object() ? document.value(key, Json{}) : Json{};
}

inline std::int64_t number_in(const Json& document, const char* key) {
  const auto value = member_in(document, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

inline bool flag_in(const Json& document, const char* key) { return member_in(document, key) == Json(true); }

}  // namespace berth::migrate::rebuild_detail
