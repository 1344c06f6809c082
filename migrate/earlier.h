#pragma once
#include <string>

#include "base/json_fwd.h"
#include "base/result.h"

namespace berth::migrate {

/// Of a host's pushes, newest first: whether this one gave the engine's file to the runtime module, or back.
bool moves_the_file(const Json& push);
/// The hand-over that stands on the machine, as its pushes tell; null when there was none or it was backed out.
Json standing_hand_over(const Json& pushes);

/// What `host.ask pushes` answered, of a machine that is to be read or handed over: refused (Errc::drift) while a hand-over
/// stands there that was not backed out. A second one would take what the first made for what was found, and nobody could
/// give back what was. A host whose release does not tell its past answers an error, and passes.
Status check_not_handed_over(const std::string& machine, const Result<Json>& pushes);

}  // namespace berth::migrate
