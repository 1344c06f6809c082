#pragma once
#include <string>

#include "base/json_fwd.h"
#include "base/result.h"
#include "migrate/scene.h"

namespace berth::migrate {

/// Lets a machine's host make and remove one container, {"path", "id", "name", "image"}.
Result<Json> probe(Scene& scene, const std::string& machine);

/// The same, and waits until the holder's events `created` and `removed` of that container are in the stream:
/// {"path", "id", …, "events": {"created": id, "removed": id}}.
Result<Json> probe_with_events(Scene& scene, int step, const std::string& machine);

/// The newest report that the machine's host of `version` sent at or after `first_sequence`, and the sequence
/// behind it; waits for one. Errc::timeout when none comes.
struct NewestReport {
  Json report;
  std::uint64_t next = 0;
};
Result<NewestReport> newest_report(Scene& scene, const std::string& machine, std::string_view version,
                                   std::uint64_t first_sequence);

}  // namespace berth::migrate
