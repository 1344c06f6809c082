#include "holder/client/spec_words.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "holder/client/spec_text.h"

namespace berth::holder::client {
namespace {

bool lower(char c) { return c >= 'a' && c <= 'z'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool lower_or_digit(char c) { return lower(c) || digit(c); }
bool word(char c) { return lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }
bool hex(char c) { return digit(c) || (c >= 'a' && c <= 'f'); }

template <class Rule>
bool all(std::string_view text, Rule rule) {
  return std::ranges::all_of(text, rule);
}
bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}
bool is_hex(std::string_view text, std::size_t low, std::size_t high) {
  return text.size() >= low && text.size() <= high && all(text, hex);
}
std::string lowered(std::string_view text) {
  std::string out{text};
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

/// The parts between `separator`; an empty text has one empty part.
template <class Rule>
bool each_part(std::string_view text, char separator, Rule rule) {
  while (true) {
    const auto at = text.find(separator);
    if (!rule(text.substr(0, at))) return false;
    if (at == std::string_view::npos) return true;
    text.remove_prefix(at + 1);
  }
}

/// [a-zA-Z0-9][a-zA-Z0-9_.-]{low-1,high-1}
bool is_name(std::string_view text, std::size_t low, std::size_t high) {
  return text.size() >= low && text.size() <= high && word(text.front()) &&
         all(text, [](char c) { return word(c) || c == '_' || c == '.' || c == '-'; });
}

bool is_path_component(std::string_view part) {
  return !part.empty() && lower_or_digit(part.front()) && lower_or_digit(part.back()) &&
         all(part, [](char c) { return lower_or_digit(c) || c == '.' || c == '_' || c == '-'; });
}

bool is_registry(std::string_view host) {
  const auto colon = host.find(':');
  const auto port = colon == std::string_view::npos ? "1" : host.substr(colon + 1);
  return is_dns_name(host.substr(0, colon)) && parse_whole(port).value_or(0) > 0 && port.size() <= 5;
}

bool is_tag(std::string_view tag) {
  return !tag.empty() && tag.size() <= 128 && (word(tag.front()) || tag.front() == '_') &&
         all(tag, [](char c) { return word(c) || c == '_' || c == '.' || c == '-'; });
}

bool is_digest(std::string_view text) {
  return text.starts_with("sha256:") && is_hex(text.substr(7), 64, 64);
}

bool is_id_or_name(std::string_view text) {
  if (!text.empty() && all(text, digit)) {
    return text.size() <= 10 && std::stoll(std::string{text}) <= 2147483647LL;
  }
  return !text.empty() && text.size() <= 32 && (word(text.front()) || text.front() == '_') &&
         all(text, [](char c) { return word(c) || c == '_' || c == '.' || c == '-'; });
}

bool lies_under(std::string_view path, std::string_view folder) {
  return path == folder || (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

/// (/\.?[A-Za-z0-9_][A-Za-z0-9._-]*)+
bool is_plain_path(std::string_view text) {
  return text.size() >= 2 && text.size() <= 255 && text.front() == '/' &&
         each_part(text.substr(1), '/', [](std::string_view part) {
           if (part.starts_with('.')) part.remove_prefix(1);
           return !part.empty() && (word(part.front()) || part.front() == '_') &&
                  all(part, [](char c) { return word(c) || c == '.' || c == '_' || c == '-'; });
         });
}

bool lies_in_the_kernels_folders(std::string_view path) {
  return lies_under(path, "/proc") || lies_under(path, "/sys") || lies_under(path, "/dev");
}

}  // namespace

bool has_control_characters(std::string_view text) {
  return !all(text, [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != 0x7f; });
}

bool is_container_name(std::string_view text) { return is_name(text, 2, 255); }

bool is_safe_container_name(std::string_view text) {
  return is_name(text, 2, 63) && !is_hex(text, 6, 64) && !lowered(text).starts_with("mesh-") &&
         !one_of(text, {"host", "none", "bridge", "default", "container", "private", "pod", "ns",
                        "slirp4netns", "pasta", "podman"});
}

bool is_image_reference(std::string_view text) {
  if (text.size() > 512 || text.empty()) return false;
  if (is_digest(text)) return true;
  if (const auto at = text.find('@'); at != std::string_view::npos) {
    if (!is_digest(text.substr(at + 1))) return false;
    text = text.substr(0, at);
  }
  const auto slash = text.rfind('/');
  const auto colon = text.find(':', slash == std::string_view::npos ? 0 : slash);
  if (colon != std::string_view::npos && !is_tag(text.substr(colon + 1))) return false;
  text = text.substr(0, colon);
  // Docker's rule: the first part is a registry when it holds a point or colon or is localhost.
  if (const auto first = text.substr(0, text.find('/')); first.size() < text.size()) {
    const bool registry = first == "localhost" || first.find_first_of(".:") != std::string_view::npos;
    if (registry && !is_registry(first)) return false;
    if (registry) text.remove_prefix(first.size() + 1);
  }
  return each_part(text, '/', is_path_component);
}

bool is_safe_image_reference(std::string_view text) {
  const auto first = text.substr(0, text.find(':'));
  return is_image_reference(text) && !is_hex(text, 6, 64) &&
         !one_of(first, {"containers-storage", "dir", "docker-archive", "docker-daemon", "oci", "oci-archive",
                         "ostree", "sif", "tarball", "atomic"});
}

bool is_environment_name(std::string_view text) {
  return !text.empty() && text.size() <= 128 && !digit(text.front()) &&
         all(text, [](char c) { return word(c) || c == '_'; });
}

bool is_label_key(std::string_view text) {
  return !text.empty() && text.size() <= 128 && lower_or_digit(text.front()) && lower_or_digit(text.back()) &&
         all(text, [](char c) { return lower_or_digit(c) || c == '.' || c == '_' || c == '/' || c == '-'; });
}

bool is_reserved_label(std::string_view key) {
  constexpr std::array<std::string_view, 9> kReserved = {"mesh-",      "mesh.",          "berth.",
                                                         "boxes.",     "com.docker.",    "io.docker.",
                                                         "io.podman.", "io.containers.", "io.kubernetes."};
  const auto text = lowered(key);
  return std::ranges::any_of(kReserved, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

bool is_user(std::string_view text) {
  const auto colon = text.find(':');
  return is_id_or_name(text.substr(0, colon)) &&
         (colon == std::string_view::npos || is_id_or_name(text.substr(colon + 1)));
}

bool is_dns_label(std::string_view text) {
  return !text.empty() && text.size() <= 63 && word(text.front()) && word(text.back()) &&
         all(text, [](char c) { return word(c) || c == '-'; });
}

bool is_dns_name(std::string_view text) { return text.size() <= 253 && each_part(text, '.', is_dns_label); }

bool is_ip_literal(std::string_view text) {
  const std::string copy{text};
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return copy.size() == text.size() && copy.find('\0') == std::string::npos &&
         (inet_pton(AF_INET, copy.c_str(), address.data()) == 1 ||
          inet_pton(AF_INET6, copy.c_str(), address.data()) == 1);
}

bool is_absolute_path(std::string_view text) {
  return !text.empty() && text.size() <= 4096 && text.front() == '/' && !has_control_characters(text) &&
         each_part(text, '/', [](std::string_view part) { return part != ".."; });
}

bool is_safe_target(std::string_view text) {
  return is_plain_path(text) && !lies_in_the_kernels_folders(text) && !lies_under(text, "/run/secrets") &&
         !one_of(text, {"/run", "/etc", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/etc/mtab",
                        "/run/.containerenv", "/.dockerenv", "/.dockerinit"});
}

bool is_safe_working_dir(std::string_view text) {
  return text == "/" || (is_plain_path(text) && !lies_in_the_kernels_folders(text));
}

bool is_volume_name(std::string_view text) { return is_name(text, 2, 255); }
bool is_safe_volume_name(std::string_view text) { return is_name(text, 2, 63) && !is_hex(text, 32, 64); }

bool is_capability(std::string_view text) {
  return !text.empty() && text.size() <= 32 &&
         all(text, [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

std::string capability(std::string_view text) {
  std::string out{text};
  for (char& c : out) c = lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
  return out.starts_with("CAP_") ? out.substr(4) : out;
}

bool is_signal_name(std::string_view text) {
  return text.starts_with("SIG") && text.size() >= 5 && text.size() <= 12 &&
         all(text, [](char c) { return (c >= 'A' && c <= 'Z') || digit(c) || c == '+' || c == '-'; });
}

bool is_mac_address(std::string_view text) {
  int parts = 0;
  return each_part(text, ':',
                   [&](std::string_view part) { return ++parts && is_hex(lowered(part), 2, 2); }) &&
         parts == 6;
}

bool is_init_system(std::string_view argv0) {
  return one_of(argv0, {"/sbin/init", "/usr/sbin/init", "/usr/local/sbin/init", "systemd"}) ||
         argv0.ends_with("/systemd");
}

}  // namespace berth::holder::client
