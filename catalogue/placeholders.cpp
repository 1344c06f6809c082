#include "catalogue/placeholders.h"

#include <optional>

#include "base/json.h"

namespace berth::catalogue {
namespace {

constexpr std::string_view kOpen = "${";

bool take(std::string_view& text, std::string_view head) {
  if (!text.starts_with(head)) return false;
  text.remove_prefix(head.size());
  return true;
}

std::optional<Placeholder> parse_one(std::string_view inside, std::string_view whole) {
  const std::string text{whole};
  if (take(inside, "machine:")) {
    if (inside != "name" && inside != "account") return std::nullopt;
    return Placeholder{Placeholder::Source::machine, std::string{inside}, text};
  }
  if (take(inside, "setting:")) {
    if (inside.empty()) return std::nullopt;
    return Placeholder{Placeholder::Source::setting, std::string{inside}, text};
  }
  constexpr std::string_view kReach = ":reach";
  if (!take(inside, "seat:") || !inside.ends_with(kReach) || inside.size() == kReach.size())
    return std::nullopt;
  inside.remove_suffix(kReach.size());
  return Placeholder{Placeholder::Source::seat_reach, std::string{inside}, text};
}

Error unfilled(const std::string& path, std::string_view what, std::string_view why) {
  return fail_field(Errc::unfilled, path,
                    path + ": the placeholder " + std::string{what} + " " + std::string{why});
}

bool is_empty(const Json& value) {
  return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty()) ||
         (value.is_array() && value.empty());
}

/// Calls `visit` with every text of a document and its path.
Status each_text(const Json& document, const std::string& path,
                 const std::function<Status(const std::string&, const std::string&)>& visit) {
  if (document.is_string()) return visit(document.get_ref<const std::string&>(), path);
  if (document.is_object()) {
    for (const auto& [key, value] : document.items()) {
      TRY(visit(key, path));
      TRY(each_text(value, path + "." + key, visit));
    }
  }
  if (document.is_array()) {
    for (std::size_t i = 0; i < document.size(); ++i) {
      TRY(each_text(document[i], path + "[" + std::to_string(i) + "]", visit));
    }
  }
  return {};
}

/// A value, or nothing where the member is to be dropped.
using Filled = std::optional<Json>;

Result<std::string> as_text(const Json& value, const Placeholder& placeholder, const std::string& path) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  return unfilled(path, placeholder.text, "is a list or an object, which cannot stand inside a text");
}

Result<Filled> fill_text(const std::string& text, const Lookup& lookup, const std::string& path) {
  const auto placeholders = TRY(find_placeholders(text, path));
  if (placeholders.empty()) return Filled{Json(text)};
  std::string out;
  std::size_t from = 0;
  for (const auto& placeholder : placeholders) {
    auto value = TRY(lookup(placeholder));
    if (is_empty(value)) return Filled{};
    if (placeholder.text == text) return Filled{std::move(value)};
    const auto at = text.find(placeholder.text, from);
    out += text.substr(from, at - from) + TRY(as_text(value, placeholder, path));
    from = at + placeholder.text.size();
  }
  return Filled{Json(out + text.substr(from))};
}

Result<Filled> fill_any(const Json& value, const Lookup& lookup, const std::string& path);

Result<Filled> fill_list(const Json& list, const Lookup& lookup, const std::string& path) {
  Json out = Json::array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto item = TRY(fill_any(list[i], lookup, path + "[" + std::to_string(i) + "]"));
    if (!item) continue;
    if (item->is_array() && list[i].is_string()) {
      for (auto& inner : *item) out.push_back(std::move(inner));
    } else {
      out.push_back(std::move(*item));
    }
  }
  if (out.empty() && !list.empty()) return Filled{};
  return Filled{std::move(out)};
}

Result<Filled> fill_object(const Json& object, const Lookup& lookup, const std::string& path) {
  Json out = Json::object();
  for (const auto& [key, value] : object.items()) {
    if (auto item = TRY(fill_any(value, lookup, path + "." + key))) out[key] = std::move(*item);
  }
  if (out.empty() && !object.empty()) return Filled{};
  return Filled{std::move(out)};
}

Result<Filled> fill_any(const Json& value, const Lookup& lookup, const std::string& path) {
  if (value.is_string()) return fill_text(value.get_ref<const std::string&>(), lookup, path);
  if (value.is_array()) return fill_list(value, lookup, path);
  if (value.is_object()) return fill_object(value, lookup, path);
  return Filled{value};
}

}  // namespace

Result<std::vector<Placeholder>> find_placeholders(std::string_view text, const std::string& path) {
  std::vector<Placeholder> found;
  for (auto at = text.find(kOpen); at != std::string_view::npos; at = text.find(kOpen, at)) {
    const auto end = text.find('}', at);
    if (end == std::string_view::npos) return unfilled(path, text.substr(at), "has no end");
    const auto whole = text.substr(at, end + 1 - at);
    auto placeholder = parse_one(whole.substr(2, whole.size() - 3), whole);
    if (!placeholder) return unfilled(path, whole, "is unknown");
    found.push_back(std::move(*placeholder));
    at = end + 1;
  }
  return found;
}

Status check_placeholders(const Json& resource, const Manifest& manifest, const std::string& path) {
  return each_text(resource, path, [&](const std::string& text, const std::string& where) -> Status {
    const auto placeholders = TRY(find_placeholders(text, where));
    for (const auto& placeholder : placeholders) {
      if (placeholder.source == Placeholder::Source::setting &&
          !manifest.settings.contains(placeholder.name)) {
        return unfilled(where, placeholder.text, "names no setting of " + manifest.name);
      }
    }
    return {};
  });
}

Result<Json> fill(const Json& document, const Lookup& lookup, const std::string& path) {
  auto filled = TRY(fill_any(document, lookup, path));
  return filled ? std::move(*filled) : Json{};
}

Status check_filled(const Json& document, const std::string& path) {
  return each_text(document, path, [&](const std::string& text, const std::string& where) -> Status {
    if (const auto at = text.find(kOpen); at != std::string::npos) {
      return unfilled(where, text.substr(at, 60), "came in with a value and is not filled");
    }
    return {};
  });
}

}  // namespace berth::catalogue
