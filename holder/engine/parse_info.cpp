#include <algorithm>

#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"

namespace berth::holder::engine {
namespace {

/// Networks both engines trust by themselves, whatever their configuration says.
bool always_trusted(const std::string& cidr) { return cidr == "127.0.0.0/8" || cidr == "::1/128"; }

std::vector<std::string> texts(const Json& list) {
  std::vector<std::string> found;
  if (!list.is_array()) return found;
  for (const auto& item : list) {
    if (item.is_string()) found.push_back(item.get<std::string>());
  }
  return found;
}

std::vector<std::string> insecure_registries(const Json& registries) {
  std::vector<std::string> names;
  if (const auto& configs = member(registries, "IndexConfigs"); configs.is_object()) {
    for (const auto& [name, config] : configs.items()) {
      if (!bool_member(config, "Secure")) names.push_back(name);
    }
  }
  if (const auto& networks = member(registries, "InsecureRegistryCIDRs"); networks.is_array()) {
    for (const auto& network : networks) {
      if (network.is_string() && !always_trusted(network.get<std::string>()))
        names.push_back(network.get<std::string>());
    }
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

Result<Version> parse_version(std::string_view body) {
  const auto document = TRY(engine_json(body, "version"));
  Version version;
  const auto& components = member(document, "Components");
  const auto name =
      components.is_array() && !components.empty() ? text_member(components.front(), "Name") : std::string{};
  const bool podman = name.find("Podman") != std::string::npos;
  version.info.kind = podman ? Kind::podman : Kind::docker;
  version.info.name = podman ? "Podman Engine" : "Docker Engine";
  version.info.version = text_member(document, "Version");
  version.info.api_version = text_member(document, "ApiVersion");
  version.lowest_api_version = text_member(document, "MinAPIVersion");
  if (version.info.api_version.empty())
    return fail(Errc::engine_refused, "version: the engine's answer has no ApiVersion");
  return version;
}

Result<EngineFacts> parse_info(std::string_view body) {
  const auto document = TRY(engine_json(body, "info"));
  if (!document.is_object()) return fail(Errc::engine_refused, "info: the engine's answer is no object");
  EngineFacts facts;
  facts.engine.id = text_member(document, "ID");
  facts.live_restore = bool_member(document, "LiveRestoreEnabled");
  facts.insecure_registries = insecure_registries(member(document, "RegistryConfig"));
  facts.logging_driver = text_member(document, "LoggingDriver");
  facts.storage_driver = text_member(document, "Driver");
  facts.root_dir = text_member(document, "DockerRootDir");
  facts.default_runtime = text_member(document, "DefaultRuntime");
  facts.registry_mirrors = texts(member(member(document, "RegistryConfig"), "Mirrors"));
  facts.labels = texts(member(document, "Labels"));
  facts.debug = bool_member(document, "Debug");
  facts.containers_running = number_member(document, "ContainersRunning");
  return facts;
}

}  // namespace berth::holder::engine
