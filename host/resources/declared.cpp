#include "host/resources/declared.h"

#include <grp.h>
#include <pwd.h>

#include <array>
#include <charconv>

#include "base/json.h"

namespace berth::host::resources {
namespace {

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) text += at + i <= bytes.size() ? kBase64[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  unsigned group = 0;
  int bits = 0;
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  for (const char c : text) {
    const auto digit = kBase64.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    group = group << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 0xFF);
  }
  return bytes;
}

template <class T>
std::optional<T> number_of(std::string_view text, int base = 10) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<uid_t> find_user(const std::string& name) {
  if (const auto number = number_of<uid_t>(name)) return *number;
  const auto* entry = ::getpwnam(name.c_str());
  if (entry == nullptr) return fail_field(Errc::failed, "owner", "there is no account \"" + name + "\" on this machine");
  return entry->pw_uid;
}

Result<gid_t> find_group(const std::string& name) {
  if (const auto number = number_of<gid_t>(name)) return *number;
  const auto* entry = ::getgrnam(name.c_str());
  if (entry == nullptr) return fail_field(Errc::failed, "owner", "there is no group \"" + name + "\" on this machine");
  return entry->gr_gid;
}

bool walks_upwards(std::string_view path) {
  return path.ends_with("/..") || path.find("/../") != std::string_view::npos;
}

}  // namespace

void read_common(Fields& fields) {
  fields.text("id", "");
  fields.text("type", "");
}

std::string path_field(Fields& fields, std::string_view key) {
  auto path = fields.text(key);
  if (path.empty()) return path;
  const bool plain = path.starts_with('/') && !path.ends_with('/') && !walks_upwards(path);
  if (!plain || path.find('\0') != std::string::npos || path.size() > 4000) {
    fields.refuse(key, "\"" + path + "\" is not the absolute path of a file");
  }
  return path;
}

std::string unit_field(Fields& fields, std::string_view key) {
  auto unit = fields.text(key);
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_.\\@";
  const bool plain = unit.find_first_not_of(kAllowed) == std::string::npos && unit.size() < 256 &&
                     unit.find('.') != std::string::npos && !unit.starts_with('.') && !unit.starts_with('-');
  if (!unit.empty() && !plain) fields.refuse(key, "\"" + unit + "\" is not the name of a unit (name.service, name.timer …)");
  return unit;
}

std::optional<mode_t> mode_field(Fields& fields, std::string_view key) {
  const auto text = fields.maybe_text(key);
  if (!text) return std::nullopt;
  const auto mode = number_of<mode_t>(*text, 8);
  if (!mode || *mode > 07777 || text->size() < 3 || text->size() > 5) {
    fields.refuse(key, "\"" + *text + "\" is not a mode such as \"0644\"");
    return std::nullopt;
  }
  return mode;
}

Result<Owner> find_owner(std::string_view text) {
  Owner owner;
  const auto colon = text.find(':');
  const std::string user{text.substr(0, colon)};
  const std::string group{colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1)};
  if (!user.empty()) owner.uid = TRY(find_user(user));
  if (!group.empty()) owner.gid = TRY(find_group(group));
  return owner;
}

std::string text_of(const Json& object, std::string_view key, std::string otherwise) {
  if (!object.is_object()) return otherwise;
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : otherwise;
}

bool flag_of(const Json& object, std::string_view key, bool otherwise) {
  if (!object.is_object()) return otherwise;
  const auto at = object.find(key);
  return at != object.end() && at->is_boolean() ? at->get<bool>() : otherwise;
}

Json document_of_bytes(std::string_view bytes) {
  const Json text = std::string{bytes};
  const auto written = text.dump(-1, ' ', false, Json::error_handler_t::replace);  // broken UTF-8 comes back different
  if (bytes.find('\0') == std::string_view::npos && Json::parse(written) == text) return Json{{"text", text}};
  return Json{{"base64", to_base64(bytes)}};
}

Result<std::string> bytes_of_document(const Json& document) {
  if (document.contains("text")) return text_of(document, "text");
  const auto bytes = from_base64(text_of(document, "base64"));
  if (!bytes) return fail(Errc::failed, "the bytes kept in a record are no base64");
  return *bytes;
}

}  // namespace berth::host::resources
