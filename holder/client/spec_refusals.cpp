#include <algorithm>
#include <array>

#include "base/json.h"
#include "holder/client/spec_parts.h"
#include "holder/client/spec_safe.h"

namespace berth::holder::client {
namespace {

/// Root on the machine, or a way to it, whatever their value: `privileged: false` has no place here either.
constexpr std::array<std::string_view, 18> kHostOnly = {"cgroup",
                                                        "cgroup_parent",
                                                        "device_cgroup_rules",
                                                        "devices",
                                                        "gpus",
                                                        "group_add",
                                                        "ipc",
                                                        "logging",
                                                        "mac_address",
                                                        "pid",
                                                        "privileged",
                                                        "replaces",
                                                        "runtime",
                                                        "runtime_socket",
                                                        "sysctls",
                                                        "userns_mode",
                                                        "uts",
                                                        "volumes_from"};
constexpr std::array<std::string_view, 4> kVolumeOptions = {"bind", "driver", "driver_opts", "driver_config"};

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string{};
}

bool has(const Json& object, std::string_view key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() && !found->is_null();
}

/// Another's namespace, or the host's. Any spelling: an engine may take one that we would not.
bool names_a_namespace(const Json& mode) {
  auto text = text_of(mode);
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text == "host" || text.starts_with("container:") || text.starts_with("ns:") ||
         text.starts_with("service:");
}

template <class Bad>
void add_items(const Json& document, std::string_view list, Bad bad, std::vector<std::string>& fields) {
  if (!has(document, list) || !document[list].is_array()) return;
  for (std::size_t i = 0; i < document[list].size(); ++i) bad(document[list][i], i, fields);
}

void add_volume(const Json& volume, std::size_t i, std::vector<std::string>& fields) {
  if (has(volume, "type") && volume["type"] == "bind") fields.push_back(at("volumes", i, "type"));
  for (const auto option : kVolumeOptions) {
    if (has(volume, option)) fields.push_back(at("volumes", i, option));
  }
}

std::vector<std::string> host_only_members(const Json& document) {
  std::vector<std::string> fields;
  for (const auto key : kHostOnly) {
    if (has(document, key)) fields.emplace_back(key);
  }
  if (has(document, "network_mode") && names_a_namespace(document["network_mode"]))
    fields.emplace_back("network_mode");
  add_items(
      document, "cap_add",
      [](const Json& cap, std::size_t i, auto& out) {
        if (cap.is_string() && !is_safe_capability(text_of(cap))) out.push_back(at("cap_add", i));
      },
      fields);
  add_items(
      document, "security_opt",
      [](const Json& option, std::size_t i, auto& out) {
        if (option.is_string() && !is_no_new_privileges(text_of(option)))
          out.push_back(at("security_opt", i));
      },
      fields);
  add_items(document, "volumes", add_volume, fields);
  add_items(
      document, "networks",
      [](const Json& network, std::size_t i, auto& out) {
        if (has(network, "aliases")) out.push_back(at("networks", i, "aliases"));
      },
      fields);
  return fields;
}

Status refuse_held(const Json& document) {
  auto error = fail(Errc::refused_held, {});
  if (has(document, "assignment")) {
    error.field = "assignment";
    error.assignment = text_of(document["assignment"]);
  } else if (has(document, "labels") && has(document["labels"], "mesh-host.id")) {
    error.field = "labels[mesh-host.id]";
    error.assignment = text_of(document["labels"]["mesh-host.id"]);
  } else {
    return {};
  }
  error.detail = error.field + " would make the container one that assignment \"" + error.assignment +
                 "\" holds: only the host creates those";
  return error;
}

}  // namespace

std::string at(std::string_view list, std::size_t index, std::string_view member) {
  auto path = std::string{list} + "[" + std::to_string(index) + "]";
  return member.empty() ? path : path + "." + std::string{member};
}

Status refuse_host_only(const Json& document) {
  auto fields = host_only_members(document);
  if (fields.empty()) return refuse_held(document);
  std::string names;
  for (const auto& field : fields) names += (names.empty() ? "" : ", ") + field;
  auto error = fail(Errc::refused_root_equivalent,
                    "only the host may ask for " + names + ": such a container can be root on the machine");
  error.field = fields.front();
  error.fields = std::move(fields);
  return error;
}

}  // namespace berth::holder::client
