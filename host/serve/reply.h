#pragma once
#include "base/json_fwd.h"
#include "base/result.h"
#include "bus/bus.h"
#include "host/serve/parts_desk.h"

namespace berth::host::serve {

/// A document or a problem, on the subject the asker waits at, with the service headers of an error. Of an
/// answer larger than the server takes the first part goes, and the others are kept to be asked for. Nothing
/// where no reply is asked for.
void reply_to(bus::Bus& bus, PartsDesk& parts, const bus::Message& request, const Result<Json>& answer);

/// A text as it is.
void send_text(bus::Bus& bus, const bus::Message& request, std::string text);

}  // namespace berth::host::serve
