#pragma once
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "holder/engine/engine.h"

namespace berth::holder::engine {

/// The answer of GET /containers/json. A row without an id, or text that ends early, is an error: a list is
/// whole or it is none.
Result<std::vector<Summary>> parse_list(std::string_view body);

/// The answer of GET /containers/<id>/json, environment values gone from all of it.
Result<Inspected> parse_inspect(std::string_view body);

/// One sample of GET /containers/<id>/stats. All absent when the engine took no reading.
struct Sample {
  Stats stats;
  struct Cpu {
    std::int64_t used_ns;
    Time at;
  };
  std::optional<Cpu> cpu, cpu_before;  // before: the engine's own earlier sample, which Podman does not give
};
Result<Sample> parse_sample(std::string_view body);
/// Percent of one CPU, by the wall clock: Podman's system_cpu_usage counts busy time alone. Absent when a
/// sample is missing or time did not move.
std::optional<double> cpu_percent(const std::optional<Sample::Cpu>& before,
                                  const std::optional<Sample::Cpu>& after);

/// GET /version and GET /info.
struct Version {
  EngineInfo info;  // api_version: the newest the engine speaks
  std::string lowest_api_version;
};
Result<Version> parse_version(std::string_view body);
Result<EngineFacts> parse_info(std::string_view body);

/// What a create names. A network answers to its whole name alone: Errc::not_found for an id that matched.
Result<Engine::Image> parse_image(std::string_view body);
Result<Engine::Network> parse_network(std::string_view body, std::string_view name);
Result<Engine::Volume> parse_volume(std::string_view body);

/// What is on the machine beside containers. An answer that is no list, or a row without its id, is an error.
Result<std::vector<ImageRow>> parse_images(std::string_view body);
Result<std::vector<NetworkRow>> parse_networks(std::string_view body);
Result<std::vector<VolumeRow>> parse_volumes(std::string_view body);
Result<DiskUsage> parse_disk_usage(std::string_view body);
/// The rows under the engine's titles; a title that is not known is passed over.
Result<std::vector<Process>> parse_processes(std::string_view body);

/// One line of GET /events. Absent for what is nobody's business: exec noise, whose action carries commands.
Result<std::optional<RawEvent>> parse_event(std::string_view line);

/// Parsed JSON of an engine's answer; bad UTF-8 is replaced first, text that ends early is an error.
Result<Json> engine_json(std::string_view body, std::string_view what);

/// Takes every environment value out of an inspect document, wherever it is repeated: "NAME=value" becomes
/// "NAME", and a recorded command line is dropped. Answers the names.
std::vector<std::string> remove_environment_values(Json& document);

}  // namespace berth::holder::engine
