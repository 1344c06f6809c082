#include "holder/serve/holder_config.h"

#include "base/config.h"
#include "base/fields.h"
#include "base/json.h"
#include "base/names.h"
#include "holder/client/spec_text.h"

namespace berth::holder::serve {
namespace {

/// A unix socket's address has 108 bytes, its end included.
constexpr std::size_t kMostSocketPath = 107;

std::string read_path(Fields& fields, std::string_view key, const std::string& otherwise) {
  auto path = fields.text(key, otherwise);
  if (!path.starts_with('/')) fields.refuse(key, "must be an absolute path");
  return path;
}

std::string read_socket(Fields& fields, std::string_view key, const std::string& otherwise) {
  auto path = read_path(fields, key, otherwise);
  if (path.size() > kMostSocketPath) fields.refuse(key, "must be a path of at most 107 bytes");
  return path;
}

Status read_engine(Fields& fields, HolderConfig& config) {
  Fields engine{fields.object("engine"), "engine"};
  const auto kind = engine.one_of("kind", {"auto", "docker", "podman"}, "auto");
  if (kind != "auto") config.engine_kind = kind == "docker" ? engine::Kind::docker : engine::Kind::podman;
  const bool podman = kind == "podman";
  config.engine_socket =
      read_socket(engine, "socket", podman ? "/run/podman/podman.sock" : config.engine_socket);
  config.engine_file = read_path(engine, "file", config.engine_file);
  config.engine_pid_file = read_path(engine, "pid_file", config.engine_pid_file);
  return engine.finish();
}

std::vector<uid_t> read_uids(Fields& fields, std::vector<uid_t> otherwise) {
  if (!fields.has("socket_uids")) return otherwise;
  std::vector<uid_t> uids;
  for (const auto& uid : fields.array("socket_uids")) {
    if (!uid.is_number_unsigned() || uid.get<std::uint64_t>() > 4294967294U) {
      fields.refuse("socket_uids", "must be a list of user ids");
      return otherwise;
    }
    uids.push_back(uid.get<uid_t>());
  }
  if (uids.empty()) fields.refuse("socket_uids", "must name at least one user id");
  return uids;
}

void read_ports(Fields& bounds, client::BusBounds& out) {
  if (!bounds.has("ports")) return;
  const auto& ports = bounds.array("ports");
  const auto is_port = [](const Json& port) {
    return port.is_number_unsigned() && port >= 1U && port <= 65535U;
  };
  if (ports.size() != 2 || !is_port(ports[0]) || !is_port(ports[1]) || ports[0] > ports[1]) {
    return bounds.refuse("ports", "must be the lowest and the highest port");
  }
  out.port_low = ports[0].get<int>();
  out.port_high = ports[1].get<int>();
}

Status read_bounds(Fields& fields, client::BusBounds& out) {
  Fields bounds{fields.object("bounds"), "bounds"};
  out.memory = bounds.integer("memory", std::int64_t{6} << 20, INT64_MAX, out.memory);
  out.pids = bounds.integer("pids", 1, 4194304, out.pids);
  out.containers = bounds.integer("containers", 0, 100000, out.containers);
  const auto cpus = bounds.text("cpus", "");
  const auto nano = client::parse_cpus(cpus);
  if (!cpus.empty() && nano.value_or(0) < 10'000'000)
    bounds.refuse("cpus", "must be a number of CPUs such as \"2\"");
  if (nano) out.nano_cpus = *nano;
  read_ports(bounds, out);
  return bounds.finish();
}

}  // namespace

Result<HolderConfig> HolderConfig::parse(const Json& document) {
  Fields fields{document, ""};
  HolderConfig config;
  config.machine = fields.text("machine");
  TRY(read_engine(fields, config));
  config.socket = read_socket(fields, "socket", config.socket);
  config.socket_uids = read_uids(fields, config.socket_uids);
  config.store = read_path(fields, "store", config.store);
  config.seat = read_path(fields, "seat", config.seat);
  if (fields.has("bus")) config.bus = TRY(bus::BusConfig::parse(fields.object("bus"), "bus"));
  TRY(read_bounds(fields, config.bounds));
  if (fields.has("boxes")) config.boxes = TRY(boxes::BoxesConfig::parse(fields.object("boxes"), "boxes"));
  TRY(fields.finish());
  TRY(MachineName::parse(config.machine));
  return config;
}

Result<HolderConfig> HolderConfig::read(const std::filesystem::path& path) {
  const auto document = TRY(read_document(path));
  auto config = parse(document);
  if (!config) return std::move(config).error().while_doing(path.native());
  return config;
}

}  // namespace berth::holder::serve
