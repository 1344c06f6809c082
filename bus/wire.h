#pragma once
#include <nats/nats.h>

#include <string>
#include <string_view>

#include "base/owned.h"
#include "base/result.h"
#include "bus/bus.h"

namespace berth::bus {

using NatsMsg = CPtr<natsMsg, natsMsg_Destroy>;
using NatsSubscription = CPtr<natsSubscription, natsSubscription_Destroy>;

/// The library's status as our error: `doing` says what was being done to what.
Error to_error(natsStatus status, std::string_view doing);

/// Whether a text can be sent as a subject. The library sends anything, a line break included, which is a
/// command of its own to the server; so this is asked before every call.
Status check_subject(std::string_view subject, bool wildcards);

Result<NatsMsg> to_nats(const Message& message, const std::string& reply);
Message from_nats(natsMsg* message);

}  // namespace berth::bus
