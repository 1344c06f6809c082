#include "catalogue/containers.h"

#include <algorithm>
#include <filesystem>

#include "base/json.h"

namespace berth::catalogue {
namespace {

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

/// One spelling of a path: /var/run is /run on every machine we know.
std::string settled(const std::string& path) {
  auto normal = std::filesystem::path{path}.lexically_normal().native();
  while (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  if (normal == "/var/run" || normal.starts_with("/var/run/")) normal.erase(0, 4);
  return normal;
}

/// The path, or a folder of it that a runtime's socket is usually in, whole.
bool is_engine_socket(const std::string& path, const SeatState& state) {
  const auto name = std::filesystem::path{path}.filename().native();
  if (name == "docker.sock" || name == "podman.sock" || name == "containerd.sock") return true;
  if (state.socket.empty()) return path == "/run" || path == "/run/podman";
  const auto socket = settled(state.socket);
  return path == socket || (path.starts_with("/run") && socket.starts_with(path + "/"));
}

Status check_bind(const std::string& source, const SeatState& state, const std::string& owner,
                  const std::string& machine) {
  const auto path = settled(source);
  if (!is_engine_socket(path, state)) return {};
  if (!state.enforced) return {};
  if (!state.held) return seat_unheld(state, machine, {owner});
  if (path == settled(state.socket)) return {};
  auto error =
      fail_field(Errc::conflict, owner,
                 machine + ": " + owner + " mounts the engine socket " + source + ", but the holder of " +
                     state.seat + " states " + (state.socket.empty() ? "none" : state.socket));
  error.seat = state.seat;
  return error;
}

/// The path of the machine that a mount is of: a bind's source, or what a volume's options make one of.
std::string path_of(const Json& volume) {
  if (!volume.is_object()) return {};
  const auto text = [](const Json& object, const char* key) {
    const auto value = object.is_object() ? object.value(key, Json{}) : Json{};
    return value.is_string() ? value.get<std::string>() : std::string{};
  };
  if (text(volume, "type") == "bind") return text(volume, "source");
  return text(volume.value("driver_opts", Json{}), "device");
}

Status check_spec(const Json& spec, const SeatState& state, const std::string& owner,
                  const std::string& machine) {
  const auto volumes = spec.value("volumes", Json::array());
  if (!volumes.is_array())
    return fail_field(Errc::bad_request, owner, machine + ": " + owner + ".spec.volumes must be a list");
  for (const auto& volume : volumes) {
    const auto source = path_of(volume);
    if (!source.empty()) TRY(check_bind(source, state, owner, machine));
  }
  return {};
}

}  // namespace

Error seat_unheld(const SeatState& state, const std::string& machine,
                  const std::vector<std::string>& assignments) {
  auto error =
      fail(Errc::seat_unheld, machine + ": the seat " + state.seat +
                                  " is not held, so no container can be delivered for " +
                                  listed(assignments) + "; it can be held by " + listed(state.candidates));
  error.seat = state.seat;
  error.candidates = state.candidates;
  if (assignments.size() == 1) error.assignment = assignments.front();
  return error;
}

std::vector<std::string> containerised(const Json& modules) {
  std::vector<std::string> assignments;
  for (const auto& module : modules) {
    const auto& resources = module["resources"];
    if (std::ranges::any_of(resources, [](const Json& r) { return r["type"] == "container"; })) {
      assignments.push_back(module["assignment"].get<std::string>());
    }
  }
  return assignments;
}

Status check_containers(const Json& modules, const SeatState& state, const std::string& machine) {
  const auto assignments = containerised(modules);
  if (state.enforced && !state.held && !assignments.empty()) return seat_unheld(state, machine, assignments);
  for (const auto& module : modules) {
    for (const auto& resource : module["resources"]) {
      if (resource["type"] != "container") continue;
      const auto owner = module["name"].get<std::string>() + "." + resource["id"].get<std::string>();
      TRY(check_spec(resource["spec"], state, owner, machine));
    }
  }
  return {};
}

}  // namespace berth::catalogue
