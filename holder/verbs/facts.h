#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "holder/client/spec.h"
#include "holder/policy/grants.h"

namespace berth::holder::verbs {

/// What the holder's configuration says and nothing changes while it runs.
struct Facts {
  std::string machine;
  std::string version;  // of this program
  std::string engine_socket;
  std::filesystem::path engine_file = "/etc/docker/daemon.json";
  std::filesystem::path engine_pid_file = "/run/docker.pid";
  std::filesystem::path processes = "/proc";
  client::BusBounds bounds;
};

/// What the seat file says: read again whenever it changes. No file is the default.
struct Seat {
  bool held = false;
  std::optional<std::string> module;
  policy::Grants grants;
};

}  // namespace berth::holder::verbs
