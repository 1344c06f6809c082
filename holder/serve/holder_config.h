#pragma once
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "bus/bus.h"
#include "holder/boxes/config.h"
#include "holder/client/spec.h"
#include "holder/engine/engine.h"

namespace berth::holder::serve {

/// /etc/berth/holder.json (docs/formats.md). Every member has a default but `machine`.
struct HolderConfig {
  std::string machine;
  std::string engine_socket = "/run/docker.sock";
  std::optional<engine::Kind> engine_kind;  // absent: asked of the engine
  std::filesystem::path engine_file = "/etc/docker/daemon.json";
  std::filesystem::path engine_pid_file = "/run/docker.pid";
  std::filesystem::path socket = "/run/berth/holder.sock";
  std::vector<uid_t> socket_uids = {0};
  std::filesystem::path store = "/var/lib/berth-holder/holder.db";
  std::filesystem::path seat = "/etc/berth/seat.json";
  std::optional<bus::BusConfig> bus;  // absent: the socket alone
  client::BusBounds bounds;
  std::optional<boxes::BoxesConfig> boxes;  // absent: no boxes here

  /// Errors name the file, the key and the reason.
  static Result<HolderConfig> read(const std::filesystem::path& path);
  static Result<HolderConfig> parse(const Json& document);
};

}  // namespace berth::holder::serve
