#pragma once
#include "base/json_fwd.h"
#include "base/result.h"
#include "bus/bus.h"

namespace berth::host::serve {

/// A document or a problem, on the subject the asker waits at, with the service headers of an error. An
/// answer larger than the server takes becomes the problem too_large. Nothing where no reply is asked for.
void reply_to(bus::Bus& bus, const bus::Message& request, const Result<Json>& answer);

}  // namespace berth::host::serve
