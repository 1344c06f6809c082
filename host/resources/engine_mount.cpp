#include "host/resources/engine_mount.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>

#include "base/file.h"

namespace berth::host::resources {
namespace {

using holder::client::ContainerSpec;
using holder::client::VolumeMount;

constexpr std::array kUsualSockets{"/run/docker.sock", "/run/podman/podman.sock",
                                   "/run/containerd/containerd.sock"};
constexpr std::array kSocketNames{"docker.sock", "podman.sock", "containerd.sock"};

/// Where a path leads, and which file that is.
struct Place {
  std::string path;
  dev_t device;
  ino_t inode;
  bool operator==(const Place& other) const { return device == other.device && inode == other.inode; }
};

/// Nothing where nothing is: an engine that makes a folder there mounts an empty one.
Result<std::optional<Place>> look(World& world, const std::string& path) {
  TRY(world.seam.before("mount.look", path));
  const std::unique_ptr<char, decltype(&std::free)> real{::realpath((world.root + path).c_str(), nullptr),
                                                         &std::free};
  if (!real && (errno == ENOENT || errno == ENOTDIR)) return std::optional<Place>{};
  if (!real) return errno_error("follow the links of", path, errno);
  struct stat st {};
  if (::stat(real.get(), &st) != 0) return errno_error("look at", path, errno);
  std::string text = real.get();
  if (!world.root.empty() && text.starts_with(world.root)) text.erase(0, world.root.size());
  return std::optional{Place{std::move(text), st.st_dev, st.st_ino}};
}

/// The path of the machine that a mount is of: a bind's source, or what a volume's options make one of.
std::string machine_path(const VolumeMount& mount) {
  if (mount.type == "bind") return mount.source;
  const auto device = mount.driver_opts.find("device");
  return device != mount.driver_opts.end() && device->second.starts_with('/') ? device->second
                                                                              : std::string{};
}

bool is_named_as_one(const std::string& path) {
  const auto name = path.substr(path.rfind('/') + 1);
  return std::ranges::find(kSocketNames, name) != kSocketNames.end();
}

bool holds(const Place& folder, const Place& socket) {
  return folder.path.starts_with("/run") && socket.path.starts_with(folder.path + "/");
}

/// Whether it is an engine's socket, or a folder with one in it, other than the stated one itself.
Result<bool> is_anothers(World& world, const Place& source, const std::string& stated) {
  const auto granted = TRY(look(world, stated));
  if (granted && source == *granted) return false;
  if (is_named_as_one(source.path) || (granted && holds(source, *granted))) return true;
  for (const std::string usual : kUsualSockets) {
    const auto socket = TRY(look(world, usual));
    if (socket && (source == *socket || holds(source, *socket))) return true;
  }
  return false;
}

Error refusal(const ContainerSpec& spec, const std::string& source, const Place& place,
              const std::string& stated) {
  const auto leads = place.path == source ? std::string{} : " (which is " + place.path + ")";
  auto error =
      fail(Errc::conflict, "the container " + spec.name + " mounts the engine socket " + source + leads +
                               ", but the holder of node-container-runtime states " + stated);
  error.seat = "node-container-runtime";
  return error;
}

}  // namespace

Status check_engine_mounts(World& world, path::Path& path, const ContainerSpec& spec) {
  std::string stated;
  for (const auto& mount : spec.volumes) {
    const auto source = machine_path(mount);
    if (source.empty()) continue;
    if (stated.empty()) stated = TRY(path.engine_socket());
    if (stated.empty()) return {};
    const auto place = TRY(look(world, source));
    if (place && TRY(is_anothers(world, *place, stated))) return refusal(spec, source, *place, stated);
  }
  return {};
}

}  // namespace berth::host::resources
