// What the engine would refuse at its next start, refused now.
#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/json.h"
#include "holder/client/engine_keys.h"

namespace berth::holder::client {
namespace {

constexpr std::string_view kLogDrivers[] = {"none", "local", "json-file", "syslog", "journald", "gelf", "fluentd",
                                            "awslogs", "splunk", "gcplogs", "logentries"};
constexpr std::string_view kFileOptions[] = {"max-size", "max-file", "compress", "mode", "max-buffer-size", "labels",
                                             "labels-regex", "env", "env-regex", "tag", "cache-disabled",
                                             "cache-max-file", "cache-max-size", "cache-compress"};
constexpr std::string_view kLocalOptions[] = {"max-size", "max-file", "compress", "mode", "max-buffer-size"};

template <class Table>
bool holds(const Table& table, std::string_view text) {
  return std::ranges::find(table, text) != std::end(table);
}

Error refused(std::string_view key, const std::string& why) {
  return fail_field(Errc::bad_request, std::string{key}, std::string{key} + ": " + why + "; the engine would not start");
}

bool is_ip(const std::string& text) {
  std::array<unsigned char, 16> address{};
  return ::inet_pton(AF_INET, text.c_str(), address.data()) == 1 || ::inet_pton(AF_INET6, text.c_str(), address.data()) == 1;
}

/// "10.1.2.3/16" → "10.1.0.0/16"; nothing when it is no network.
std::optional<std::string> network(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const int family = text.find(':') == std::string::npos ? AF_INET : AF_INET6;
  const int all = family == AF_INET ? 32 : 128;
  int bits = -1;
  const auto* end = text.data() + text.size();
  const auto [at, code] = std::from_chars(text.data() + slash + 1, end, bits);
  std::array<unsigned char, 16> address{};
  if (code != std::errc{} || at != end || bits < 0 || bits > all) return std::nullopt;
  if (::inet_pton(family, text.substr(0, slash).c_str(), address.data()) != 1) return std::nullopt;
  for (int bit = bits; bit < all; ++bit) {
    address[static_cast<std::size_t>(bit / 8)] &= static_cast<unsigned char>(~(0x80 >> bit % 8));
  }
  std::array<char, INET6_ADDRSTRLEN> written{};
  ::inet_ntop(family, address.data(), written.data(), written.size());
  return std::string{written.data()} + "/" + std::to_string(bits);
}

bool is_port(std::string_view text) {
  int port = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), port);
  return code == std::errc{} && end == text.data() + text.size() && port > 0 && port < 65536;
}

bool is_host_with_port(std::string_view text) {
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos || !is_ip(std::string{text.substr(1, close - 1)})) return false;
    return close + 1 == text.size() || (text[close + 1] == ':' && is_port(text.substr(close + 2)));
  }
  const auto colon = text.find(':');
  const auto host = text.substr(0, colon);
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  if (host.empty() || host.front() == '-' || host.find_first_not_of(kAllowed) != std::string_view::npos) return false;
  return colon == std::string_view::npos || is_port(text.substr(colon + 1));
}

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c != 0x7f; });
}

/// "10m", "1.5g": what the engine's log drivers read as a size.
bool is_size(std::string_view text) {
  while (!text.empty() && std::string_view{"bBiI"}.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  if (!text.empty() && std::string_view{"kKmMgGtTpP"}.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  constexpr std::string_view kDigits = "0123456789";
  const auto point = text.find('.');
  const auto whole = text.substr(0, point);
  const bool fraction = point == std::string_view::npos ||
                        (point + 1 < text.size() && text.substr(point + 1).find_first_not_of(kDigits) == std::string_view::npos);
  return !whole.empty() && whole.find_first_not_of(kDigits) == std::string_view::npos && fraction;
}

Status check_item(std::string_view key, const std::string& text) {
  if (key == "dns" && !is_ip(text)) return refused(key, "\"" + text + "\" is no IP address");
  const bool registry = is_host_with_port(text) || network(text);
  if (key == "insecure-registries" && !registry) return refused(key, "\"" + text + "\" is neither host, host:port nor a network");
  if (!is_word(text)) return refused(key, "\"" + text + "\" is empty or holds white space");
  return {};
}

Status check_log_option(const std::string& name, const std::string& value, std::string_view driver) {
  const bool known = driver == "json-file" ? holds(kFileOptions, name) : driver == "local" ? holds(kLocalOptions, name) : true;
  if (!known) return refused("log-opts", "the log driver " + std::string{driver} + " has no option " + name);
  const bool files = driver == "json-file" || driver == "local";
  if (files && name == "max-size" && value != "-1" && !is_size(value)) {
    return refused("log-opts", "max-size \"" + value + "\" is no size such as \"10m\"");
  }
  int count = 0;
  const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), count);
  if (files && name == "max-file" && (code != std::errc{} || end != value.data() + value.size() || count < 1)) {
    return refused("log-opts", "max-file \"" + value + "\" is no count");
  }
  return {};
}

Result<Json> text_map(std::string_view key, const Json& value) {
  Json map = Json::object();
  for (const auto& [name, item] : value.items()) {
    if (item.is_structured() || item.is_null()) return refused(key, name + " must be a text");
    map[name] = item.is_string() ? item : Json(item.dump());
  }
  return map;
}

bool has_shape(const Json& value, std::string_view shape) {
  const auto texts = [](const Json& list) { return std::ranges::all_of(list, [](const Json& i) { return i.is_string(); }); };
  if (value.is_null()) return true;  // the engine reads null as "not said"
  if (shape == "boolean") return value.is_boolean();
  if (shape == "text") return value.is_string();
  if (shape == "texts") return value.is_array() && texts(value);
  return value.is_object() && texts(value);
}

}  // namespace

Result<Json> engine_value(std::string_view key, const Json& value) {
  const auto* row = find_engine_key(key);
  if (row == nullptr) {
    return fail_field(Errc::bad_request, std::string{key},
                      "berth does not own the key \"" + std::string{key} + "\" of the engine's file");
  }
  if (row->shape == "map" && value.is_object()) return text_map(key, value);
  if (value.is_null() || !has_shape(value, row->shape)) return refused(key, "must be of the shape " + std::string{row->shape});
  if (row->shape == "texts") {
    for (const auto& item : value) TRY(check_item(key, item.get<std::string>()));
  }
  if (key == "log-driver" && !holds(kLogDrivers, value.get<std::string>())) {
    return refused(key, "\"" + value.get<std::string>() + "\" is no log driver of the engine");
  }
  return value;
}

Status check_engine_document(const Json& document, const std::string& path) {
  for (const auto& [key, value] : document.items()) {
    const auto* row = find_engine_key(key);
    if (row != nullptr && !has_shape(value, row->shape)) {
      return fail_field(Errc::conflict, key, path + ": " + key + " is not of the shape " + std::string{row->shape} +
                                                 "; the engine would not start");
    }
  }
  if (!document.contains("log-opts") || !document["log-opts"].is_object()) return {};
  const auto driver = document.contains("log-driver") && document["log-driver"].is_string()
                          ? document["log-driver"].get<std::string>() : std::string{"json-file"};
  for (const auto& [name, value] : document["log-opts"].items()) TRY(check_log_option(name, value, driver));
  return {};
}

std::string normal_registry(std::string_view registry) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (registry.starts_with(scheme)) registry.remove_prefix(scheme.size());
  }
  return network(std::string{registry}).value_or(std::string{registry});
}

}  // namespace berth::holder::client
