#pragma once
// For this library's sources: reading members of a document whose maker leaves out, or says null, as it
// pleases.
#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"

namespace berth::holder::engine {

inline const Json& member(const Json& object, const char* key) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}
inline std::string text_member(const Json& object, const char* key) {
  const auto& value = member(object, key);
  return value.is_string() ? value.get<std::string>() : std::string{};
}
inline std::optional<std::int64_t> maybe_number(const Json& object, const char* key) {
  const auto& value = member(object, key);
  if (value.is_number_unsigned()) {  // an engine's "no limit" may not fit
    const auto big = value.get<std::uint64_t>();
    return big > static_cast<std::uint64_t>(INT64_MAX) ? std::nullopt
                                                       : std::optional{static_cast<std::int64_t>(big)};
  }
  return value.is_number_integer() ? std::optional{value.get<std::int64_t>()} : std::nullopt;
}
inline std::int64_t number_member(const Json& object, const char* key) {
  return maybe_number(object, key).value_or(0);
}
inline bool bool_member(const Json& object, const char* key) {
  const auto& value = member(object, key);
  return value.is_boolean() && value.get<bool>();
}

}  // namespace berth::holder::engine
