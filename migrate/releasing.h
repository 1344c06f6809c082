#pragma once
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"
#include "migrate/scene.h"

namespace berth::migrate {

// What steps 4 and 5 share: switching one machine's host to another release and back, and the proof of it.

/// The gate: the seat is held and its holder answers, and the release is not newer in schema; keeps
/// containers, version and the end of the machine's reports in work.found.
Status ready_for_release(Scene& scene, Work& work);

/// Asks the host to switch, unless it runs that version already, and waits until it does or has switched
/// back.
Status switch_release(Scene& scene, Work& work, std::string_view release);

/// The host reports that version, the path expected and an unchanged apply; a probe goes the same way;
/// nothing was restarted. {"version", "previous", "path", "report", "probe", "containers", "cli_path"}.
Result<Json> prove_release(Scene& scene, Work& work, std::string_view version, std::string_view path);

/// What ran before, from the step's proof. Errc::conflict where a rebuilt store does not know it.
Result<std::string> version_before(const Json& proof, const Work& work);

/// Switches back to the version before, with the same proof.
Result<Json> back_to(Scene& scene, Work& work, std::string_view version, std::string_view path);

}  // namespace berth::migrate
