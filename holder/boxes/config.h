#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "holder/boxes/runtime.h"

namespace berth::holder::boxes {

enum class RuntimeKind { docker, kubernetes };  // docker: the engine the holder speaks to, Podman too

/// `boxes` of the holder's configuration (docs/formats.md). It composes a box's spec.
struct BoxesConfig {
  RuntimeKind runtime = RuntimeKind::docker;
  std::string image;
  uid_t uid = 1000;
  std::string data_volume = "berth-boxes";  // docker: a named volume; kubernetes: the claims' storage class
  std::string proxy = "egress-proxy";       // docker: a container; kubernetes: a Service of the namespace
  int proxy_port = 3128;
  std::string name_space = "boxes";     // kubernetes
  std::filesystem::path kubeconfig;     // kubernetes; empty: the credentials of the pod it runs in
  std::string pull_policy = "missing";  // never, missing, always
  std::chrono::seconds run_timeout{60};
  std::vector<uid_t> uids = {0};  // who may speak on the boxes' socket
  std::filesystem::path socket = "/run/berth/boxes.sock";
  std::int64_t storage_bytes = std::int64_t{1} << 30;  // kubernetes: of a claim
  BoxSpec limits;                                      // of every box; its image is not read

  static Result<BoxesConfig> parse(const Json& document, const std::string& path);

  /// What every box is made of, and what every login.
  BoxSpec spec() const;
  BoxSpec login_spec() const;
};

/// The parts of a box's storage, and where they are inside.
struct Part {
  std::string_view name, target;
};
/// A login's home, in memory: a folder that no image has, for an engine gives a file system that it mounts
/// over one the owner and mode of what was there.
inline constexpr const char* kLoginHome = "/login";
inline constexpr Part kParts[] = {{"home", "/home/box"}, {"work", "/box/work"}, {"cache", "/box/cache"}};

}  // namespace berth::holder::boxes
