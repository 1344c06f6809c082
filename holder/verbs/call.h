#pragma once
#include <cstddef>
#include <string>

#include "base/json_fwd.h"

namespace berth::holder::verbs {

/// Where a call came in. The socket is the host's alone; on the bus the caller is the subject's last token,
/// which the broker lets nobody else publish.
enum class Face { socket, bus };

struct Call {
  Face face = Face::bus;
  std::string caller;  // "host" on the socket
  std::string verb;    // a verb's name or its tool's (docker_<verb>)
  const Json& params;
  std::size_t max_reply = std::size_t{32} << 20;  // bytes of JSON that this face can carry; lists page by it
};

}  // namespace berth::holder::verbs
