#pragma once
#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "base/result.h"
#include "catalogue/records.h"
#include "catalogue/view.h"

namespace berth::catalogue {

/// Where the runtime module writes: the engine's file and the service that takes it. Both are read from the
/// module itself: its json resource, and the service that waits for that resource's change.
struct EnginePlace {
  std::string module;
  std::string resource;  // id of the json resource
  std::string file;
  std::string unit;
  bool is_written_by(const Record& record) const;  // a json or file resource there, or that service
};

/// Of one resolved module; nothing when it writes no json file that a service waits for.
Result<std::optional<EnginePlace>> engine_place(const Json& resolved_module);

/// Of the machine's runtime module. Nothing when none is assigned.
Result<std::optional<EnginePlace>> engine_place(const View& view);

}  // namespace berth::catalogue
