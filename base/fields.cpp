#include "base/fields.h"

#include <algorithm>
#include <set>

#include "base/json.h"
#include "base/utf8.h"

namespace berth {
namespace {

/// Refuses duplicate keys and too deep nesting while nlohmann builds the value.
class StrictBuilder {
 public:
  explicit StrictBuilder(int max_depth) : max_depth_(max_depth) {}

  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > max_depth_) error_ = "nested deeper than " + std::to_string(max_depth_) + " levels";
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end && !keys_.empty()) keys_.pop_back();
    if (event == Json::parse_event_t::key && !keys_.empty()) {
      if (const auto key = parsed.get<std::string>(); !keys_.back().insert(key).second) {
        error_ = "the key \"" + key + "\" stands twice";
      }
    }
    return true;
  }
  const std::string& error() const { return error_; }

 private:
  int max_depth_;
  std::vector<std::set<std::string>> keys_;
  std::string error_;
};

bool nests_deeper_than(std::string_view text, int max_depth) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > max_depth) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

const Json kNull;
const Json kEmptyObject = Json::object();
const Json kEmptyArray = Json::array();

}  // namespace

Result<Json> parse_json(std::string_view text, std::string_view what, int max_depth) {
  const auto refuse = [&](const std::string& why) {
    return fail(Errc::bad_request, std::string{what} + " is not the JSON document it should be: " + why);
  };
  if (text.starts_with("\xEF\xBB\xBF")) return refuse("it starts with a byte order mark");
  // The parser takes a NUL for the end of the text, whatever follows.
  if (text.find('\0') != std::string_view::npos) return refuse("it holds a NUL byte");
  // Before the parser, which is recursive when it destroys a value.
  if (nests_deeper_than(text, max_depth)) {
    return refuse("nested deeper than " + std::to_string(max_depth) + " levels");
  }
  StrictBuilder strict{max_depth};
  try {
    auto value = Json::parse(text, [&](int d, Json::parse_event_t e, Json& v) { return strict(d, e, v); });
    if (!strict.error().empty()) return refuse(strict.error());
    return value;
  } catch (const Json::exception& error) {
    const std::string said = repaired_utf8(error.what());  // "[the library's name for it] what is wrong"
    return refuse(said.substr(said.starts_with('[') ? said.find(']') + 2 : 0));
  }
}

Fields::Fields(const Json& object, std::string path) : object_(object), path_(std::move(path)) {
  if (!object_.is_object()) {
    error_ = fail_field(Errc::bad_request, path_, path_ + " must be an object");
  }
}

std::string Fields::path_of(std::string_view key) const {
  return path_.empty() ? std::string{key} : path_ + "." + std::string{key};
}

void Fields::refuse(std::string_view key, std::string reason, Errc code) {
  if (error_) return;
  const auto path = path_of(key);
  error_ = fail_field(code, path, path + " " + std::move(reason));
}

const Json* Fields::find(std::string_view key) {
  asked_.emplace_back(key);
  if (!object_.is_object()) return nullptr;
  const auto at = object_.find(key);
  return at == object_.end() || at->is_null() ? nullptr : &*at;
}

const Json* Fields::required(std::string_view key) {
  const auto* value = find(key);
  if (value == nullptr) refuse(key, "is required");
  return value;
}

bool Fields::has(std::string_view key) { return find(key) != nullptr; }

std::string Fields::text(std::string_view key) {
  const auto* value = required(key);
  if (value == nullptr) return {};
  if (!value->is_string() || value->get_ref<const std::string&>().empty()) {
    refuse(key, "must be a string that is not empty");
    return {};
  }
  return value->get<std::string>();
}

std::string Fields::text(std::string_view key, std::string_view otherwise) {
  return maybe_text(key).value_or(std::string{otherwise});
}

std::optional<std::string> Fields::maybe_text(std::string_view key) {
  const auto* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) {
    refuse(key, "must be a string");
    return std::nullopt;
  }
  return value->get<std::string>();
}

std::string Fields::one_of(std::string_view key, std::initializer_list<std::string_view> allowed,
                           std::string_view otherwise) {
  const auto value = otherwise.empty() ? text(key) : text(key, otherwise);
  if (!error_ && std::ranges::find(allowed, std::string_view{value}) == allowed.end()) {
    std::string names;
    for (const auto name : allowed) names += (names.empty() ? "" : ", ") + std::string{name};
    refuse(key, "must be one of " + names);
  }
  return value;
}

bool Fields::boolean(std::string_view key, bool otherwise) {
  const auto* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) {
    refuse(key, "must be true or false");
    return otherwise;
  }
  return value->get<bool>();
}

std::int64_t Fields::integer(std::string_view key, std::int64_t low, std::int64_t high) {
  return required(key) == nullptr ? low : integer(key, low, high, low);
}

std::int64_t Fields::integer(std::string_view key, std::int64_t low, std::int64_t high,
                             std::int64_t otherwise) {
  const auto* value = find(key);
  if (value == nullptr) return otherwise;
  const bool fits = value->is_number_integer() &&
                    !(value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX);
  if (!fits || value->get<std::int64_t>() < low || value->get<std::int64_t>() > high) {
    refuse(key, "must be a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    return otherwise;
  }
  return value->get<std::int64_t>();
}

std::vector<std::string> Fields::texts(std::string_view key) {
  std::vector<std::string> list;
  for (const auto& item : array(key)) {
    if (!item.is_string()) {
      refuse(key, "must be a list of strings");
      return {};
    }
    list.push_back(item.get<std::string>());
  }
  return list;
}

const Json& Fields::object(std::string_view key) {
  const auto* value = find(key);
  if (value == nullptr) return kEmptyObject;
  if (!value->is_object()) {
    refuse(key, "must be an object");
    return kEmptyObject;
  }
  return *value;
}

const Json& Fields::array(std::string_view key) {
  const auto* value = find(key);
  if (value == nullptr) return kEmptyArray;
  if (!value->is_array()) {
    refuse(key, "must be a list");
    return kEmptyArray;
  }
  return *value;
}

const Json& Fields::any(std::string_view key) {
  const auto* value = find(key);
  return value == nullptr ? kNull : *value;
}

Status Fields::finish() {
  if (error_) return *error_;
  if (!object_.is_object()) return {};
  for (const auto& [key, value] : object_.items()) {
    if (std::ranges::find(asked_, key) == asked_.end()) {
      return fail_field(Errc::bad_request, path_of(key), path_of(key) + " is not a known field");
    }
  }
  return {};
}

}  // namespace berth
