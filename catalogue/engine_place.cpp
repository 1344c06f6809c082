#include "catalogue/engine_place.h"

#include "base/fields.h"
#include "base/json.h"
#include "catalogue/shapes.h"

namespace berth::catalogue {

bool EnginePlace::is_written_by(const Record& record) const {
  const auto declared = parse_json(record.declared, record.id);
  if (!declared) return false;
  if (record.type == "json" || record.type == "file") return declared->value("path", Json{}) == file;
  return record.type == "service" && declared->value("unit", Json{}) == unit;
}

Result<std::optional<EnginePlace>> engine_place(const Json& module) {
  using Place = std::optional<EnginePlace>;
  for (const auto& file : module["resources"]) {
    if (file["type"] != "json") continue;
    for (const auto& service : module["resources"]) {
      if (service["type"] != "service" || !ids_named(service).contains(file["id"].get<std::string>()))
        continue;
      return Place{EnginePlace{module["name"].get<std::string>(), file["id"].get<std::string>(),
                               file["path"].get<std::string>(), service["unit"].get<std::string>()}};
    }
  }
  return Place{};
}

Result<std::optional<EnginePlace>> engine_place(const View& view) {
  const auto* runtime = view.runtime();
  if (runtime == nullptr) return std::optional<EnginePlace>{};
  return engine_place(TRY(resolve_module(view.fleet, view.machine, *runtime, {})));
}

}  // namespace berth::catalogue
