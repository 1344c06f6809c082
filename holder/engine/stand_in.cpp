#include "holder/engine/stand_in.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>

namespace berth::holder::engine {

StandIn& StandIn::instance() {
  static StandIn one;
  return one;
}

/// The kernel chooses a free name when none is given.
StandIn::StandIn() : listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_.get(), any, sizeof(sa_family_t)) != 0 || ::listen(listener_.get(), 64) != 0 ||
      ::getsockname(listener_.get(), any, &size) != 0)
    return;
  const auto begins = offsetof(sockaddr_un, sun_path) + 1;
  if (size > begins) name_.assign(address.sun_path + 1, size - begins);
}

/// What was connected here is nobody's any more.
void StandIn::drain() {
  for (;;) {
    const OwnedFd left{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!left) return;
  }
}

bool StandIn::replace(int connected, OwnedFd given) {
  const int flags = ::fcntl(given.get(), F_GETFL);
  const bool done = flags >= 0 && ::fcntl(given.get(), F_SETFL, flags | O_NONBLOCK) == 0 &&
                    ::dup3(given.get(), connected, O_CLOEXEC) == connected;
  drain();
  return done;
}

}  // namespace berth::holder::engine
