#include "base/json.h"
#include "holder/client/spec_parts.h"
#include "holder/client/spec_text.h"

namespace berth::holder::client {
namespace {

int read_published(Fields& item) {
  const auto& value = item.any("published");
  if (value.is_null()) return 0;
  if (value.is_string()) {
    const auto port = parse_whole(value.get<std::string>());
    if (port && *port >= 1 && *port <= 65535) return static_cast<int>(*port);
    item.refuse("published", "must be one port from 1 to 65535 in plain decimal");
    return 0;
  }
  return static_cast<int>(item.integer("published", 1, 65535));
}

Result<PublishedPort> read_port(const Json& document, const std::string& path) {
  Fields item{document, path};
  PublishedPort port;
  port.target = static_cast<int>(item.integer("target", 1, 65535));
  port.published = read_published(item);
  port.protocol = item.one_of("protocol", {"tcp", "udp"}, "tcp");
  port.host_ip = item.text("host_ip", "");
  TRY(item.finish());
  return port;
}

Status read_tmpfs(Fields& item, VolumeMount& mount) {
  Fields tmpfs{item.object("tmpfs"), item.path_of("tmpfs")};
  mount.tmpfs_size = read_size(tmpfs, "size");
  if (item.has("tmpfs") && mount.type != "tmpfs") item.refuse("tmpfs", "belongs to a mount of type tmpfs");
  return tmpfs.finish();
}

/// A bus caller's were refused before: such a volume can be any path of the machine.
void read_driver_options(Fields& item, VolumeMount& mount) {
  mount.driver_opts = read_map(item, "driver_opts");
  if (!mount.driver_opts.empty() && mount.type != "volume")
    item.refuse("driver_opts", "belong to a mount of type volume");
}

Result<VolumeMount> read_volume(const Json& document, const std::string& path) {
  Fields item{document, path};
  VolumeMount mount;
  mount.type = item.one_of("type", {"volume", "tmpfs", "bind"}, "");
  mount.source = item.text("source", "");
  mount.target = item.text("target");
  mount.read_only = item.boolean("read_only", false);
  read_driver_options(item, mount);
  TRY(read_tmpfs(item, mount));
  if (mount.type == "tmpfs" && item.has("source"))
    item.refuse("source", "does not belong to a mount of type tmpfs");
  if (mount.type != "tmpfs" && mount.source.empty()) item.refuse("source", "is required");
  TRY(item.finish());
  return mount;
}

Result<NetworkJoin> read_network(const Json& document, const std::string& path) {
  if (document.is_string()) return NetworkJoin{.name = document.get<std::string>(), .aliases = {}};
  Fields item{document, path};
  NetworkJoin join{.name = item.text("name"), .aliases = item.texts("aliases")};
  TRY(item.finish());
  return join;
}

template <class T>
Result<std::vector<T>> read_list(Fields& fields, std::string_view key,
                                 Result<T> (*read)(const Json&, const std::string&)) {
  std::vector<T> list;
  for (const auto& item : fields.array(key))
    list.push_back(TRY(read(item, at(fields.path_of(key), list.size()))));
  return list;
}

}  // namespace

Result<std::vector<PublishedPort>> read_ports(Fields& fields) {
  return read_list(fields, "ports", read_port);
}
Result<std::vector<VolumeMount>> read_volumes(Fields& fields) {
  return read_list(fields, "volumes", read_volume);
}
Result<std::vector<NetworkJoin>> read_networks(Fields& fields) {
  return read_list(fields, "networks", read_network);
}

Result<std::map<std::string, Ulimit>> read_ulimits(Fields& fields) {
  std::map<std::string, Ulimit> limits;
  for (const auto& [name, value] : fields.object("ulimits").items()) {
    Fields item{value, fields.path_of("ulimits") + "." + name};
    auto& limit = limits[name];
    limit.soft = item.integer("soft", -1, INT64_MAX);
    limit.hard = item.integer("hard", -1, INT64_MAX);
    TRY(item.finish());
  }
  return limits;
}

Result<std::optional<Healthcheck>> read_healthcheck(Fields& fields) {
  if (!fields.has("healthcheck")) return std::optional<Healthcheck>{};
  if (!fields.any("healthcheck").is_object()) {
    fields.refuse("healthcheck", "must be an object");
    return std::optional<Healthcheck>{};
  }
  Fields item{fields.object("healthcheck"), fields.path_of("healthcheck")};
  Healthcheck check;
  check.test = item.texts("test");
  check.interval_ns = read_duration(item, "interval");
  check.timeout_ns = read_duration(item, "timeout");
  check.start_period_ns = read_duration(item, "start_period");
  if (item.has("retries")) check.retries = static_cast<int>(item.integer("retries", 1, 1'000'000));
  const bool none = check.test == std::vector<std::string>{"NONE"};
  const bool command = check.test.size() >= 2 && check.test.front() == "CMD";
  const bool shell = check.test.size() == 2 && check.test.front() == "CMD-SHELL";
  if (!none && !command && !shell) {
    item.refuse("test", "must be [\"NONE\"], [\"CMD\", word…] or [\"CMD-SHELL\", line]");
  }
  TRY(item.finish());
  return std::optional{check};
}

std::map<std::string, std::string> read_map(Fields& fields, std::string_view key, bool numbers) {
  std::map<std::string, std::string> map;
  for (const auto& [name, value] : fields.object(key).items()) {
    if (value.is_string()) {
      map[name] = value.get<std::string>();
    } else if (numbers && value.is_number_integer()) {
      map[name] = value.dump();
    } else {
      fields.refuse(std::string{key} + "[" + name + "]", "must be a string");
    }
  }
  return map;
}

std::optional<std::int64_t> read_size(Fields& fields, std::string_view key) {
  if (!fields.has(key)) return std::nullopt;
  if (!fields.any(key).is_string()) return fields.integer(key, 0, INT64_MAX);
  const auto size = parse_size(fields.any(key).get<std::string>());
  if (!size) fields.refuse(key, "must be a size: bytes, or a whole number with b, k, m or g");
  return size;
}

std::optional<std::int64_t> read_duration(Fields& fields, std::string_view key) {
  const auto text = fields.maybe_text(key);
  if (!text) return std::nullopt;
  const auto ns = parse_duration_ns(*text);
  if (!ns) fields.refuse(key, "must be a duration such as \"10s\" or \"1m30s\"");
  return ns;
}

}  // namespace berth::holder::client
