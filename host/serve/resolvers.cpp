#include "host/serve/resolvers.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <set>
#include <sstream>

#include "base/file.h"
#include "base/json.h"
#include "schema/queries.h"

namespace berth::host::serve {
namespace {

constexpr store::Query<std::string(std::string_view)> kEverWritten{schema::queries::record_dns_ever};
constexpr std::size_t kLongest = 65536;  // of a resolv.conf

std::string text_of(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  if (address->sa_family == AF_INET) bytes = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
  if (address->sa_family == AF_INET6) bytes = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  if (bytes == nullptr) return {};
  return ::inet_ntop(address->sa_family, bytes, text.data(), text.size()) == nullptr ? "" : text.data();
}

/// Loopback is a container's own inside it, and never this machine.
Result<std::set<std::string>> own_addresses() {
  ifaddrs* raw = nullptr;
  if (::getifaddrs(&raw) != 0) return errno_error("read", "the machine's addresses", errno);
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> list{raw, ::freeifaddrs};
  std::set<std::string> addresses;
  for (const auto* one = list.get(); one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    const auto text = text_of(one->ifa_addr);
    if (!text.empty() && !text.starts_with("127.") && text != "::1") addresses.insert(text);
  }
  return addresses;
}

std::string text_at(const Json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

/// Docker's document is the holder's `document` member, and the command line's answer itself.
const Json& document_of(const Json& inspected) {
  const auto at = inspected.find("document");
  return at != inspected.end() && at->is_object() ? *at : inspected;
}

/// A file mounted in the resolver file's place is what the container reads: Docker names it, Podman goes on naming
/// its own.
std::string resolver_file(const Json& document) {
  const auto mounts = document.find("Mounts");
  for (const auto& mount : mounts != document.end() ? *mounts : Json::array()) {
    if (text_at(mount, "Destination") == "/etc/resolv.conf") return text_at(mount, "Source");
  }
  return text_at(document, "ResolvConfPath");
}

/// "[10.0.0.2 host(127.0.0.53)]": whom the engine's own resolver asks, as newer engines note it in the file.
void add_noted(std::istream& words, std::vector<std::string>& servers) {
  for (std::string word; words >> word;) {
    const auto first = word.rfind('(') == std::string::npos ? word.find_first_not_of('[') : word.rfind('(') + 1;
    if (first != std::string::npos) servers.push_back(word.substr(first, word.find_first_of(")]%", first) - first));
  }
}

std::vector<std::string> nameservers(const std::string& text) {
  std::vector<std::string> servers;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) {
    std::istringstream words{line};
    std::string key, value;
    words >> key >> value;
    if (key == "nameserver" && !value.empty()) servers.push_back(value.substr(0, value.find('%')));
    if (key == "#" && value == "ExtServers:") add_noted(words, servers);
  }
  return servers;
}

/// On a network of its own a container asks the engine's resolver, which asks those that the container was made with.
void add_own_settings(const Json& document, std::vector<std::string>& servers) {
  if (std::ranges::find(servers, "127.0.0.11") == servers.end()) return;
  const auto host = document.find("HostConfig");
  const auto set = host != document.end() && host->is_object() ? host->value("Dns", Json{}) : Json{};
  for (const auto& server : set.is_array() ? set : Json::array()) {
    if (server.is_string()) servers.push_back(server.get<std::string>());
  }
}

Result<Json> pinned_of(const std::string& id, const std::set<std::string>& ours, const apply::Site& site, path::Path& path) {
  Json pinned = Json::array();
  const auto inspected = path.inspect(id);
  if (!inspected && inspected.error().code == Errc::not_found) return pinned;  // it went meanwhile
  if (!inspected) return inspected.error();
  const auto& document = document_of(*inspected);
  const auto file = resolver_file(document);
  if (file.empty()) return pinned;
  const auto text = read_file(site.root + file, kLongest);
  if (!text && text.error().code == Errc::not_found) return pinned;
  auto servers = nameservers(TRY(text));
  add_own_settings(document, servers);
  for (const auto& server : servers) {
    if (ours.contains(server)) pinned.push_back(server);
  }
  return pinned;
}

}  // namespace

Status add_pinned_resolvers(Json& containers, const apply::Site& site, store::Store& store, path::Path& path) {
  auto ours = TRY(own_addresses());
  for (const auto& written : TRY(store.all(kEverWritten, site.config.machine))) ours.insert(written);
  for (auto& container : containers) {
    if (!path::is_up(container["state"].get<std::string>())) continue;
    auto pinned = TRY(pinned_of(container["id"].get<std::string>(), ours, site, path));
    if (!pinned.empty()) container["pinned_resolvers"] = std::move(pinned);
  }
  return {};
}

}  // namespace berth::host::serve
