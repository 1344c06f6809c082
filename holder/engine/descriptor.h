#pragma once
#include "base/owned.h"
#include "base/result.h"

namespace berth::holder::engine {

/// Sends `fd` over the unix socket `over`, with one byte. Errc::bad_request where `over` is no such socket.
Status send_descriptor(int over, int fd);

/// The descriptor that one message brought, close-on-exec; none where the other end closed, or sent other
/// things.
OwnedFd receive_descriptor(int over);

}  // namespace berth::holder::engine
