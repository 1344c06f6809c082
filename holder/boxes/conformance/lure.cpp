#include "holder/boxes/conformance/lure.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"

namespace berth::holder::boxes::conformance {
namespace {

Result<OwnedFd> bound(int type, int port) {
  OwnedFd fd{::socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (!fd || ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    return errno_error("bind", "a port of this machine", errno);
  return fd;
}

int port_of(const OwnedFd& fd) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  if (::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.sin_port);
}

}  // namespace

Result<std::unique_ptr<Lure>> Lure::open() {
  std::unique_ptr<Lure> lure{new Lure};
  lure->tcp_ = TRY(bound(SOCK_STREAM, 0));
  if (::listen(lure->tcp_.get(), 16) != 0) return errno_error("listen on", "a port of this machine", errno);
  lure->port_ = port_of(lure->tcp_);
  lure->udp_ = TRY(bound(SOCK_DGRAM, lure->port_));
  lure->thread_ = std::jthread{[self = lure.get()](std::stop_token stop) { self->serve(stop); }};
  return lure;
}

Lure::~Lure() = default;

void Lure::serve(std::stop_token stop) {
  while (!stop.stop_requested()) {
    pollfd entries[] = {{tcp_.get(), POLLIN, 0}, {udp_.get(), POLLIN, 0}};
    if (::poll(entries, 2, 100) <= 0) continue;
    if ((entries[0].revents & POLLIN) != 0) {
      const OwnedFd caller{::accept4(tcp_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
      if (caller) static_cast<void>(::send(caller.get(), "berth\n", 6, MSG_NOSIGNAL));
    }
    if ((entries[1].revents & POLLIN) != 0) take_datagram();
  }
}

void Lure::take_datagram() {
  char bytes[2048];
  const auto got = ::recv(udp_.get(), bytes, sizeof(bytes), 0);
  if (got <= 0) return;
  const std::scoped_lock lock{mutex_};
  datagrams_.emplace_back(bytes, static_cast<std::size_t>(got));
}

bool Lure::got(const std::string& text) {
  for (int i = 0; i < 10; ++i) {
    {
      const std::scoped_lock lock{mutex_};
      const auto holds = [&](const std::string& one) { return one.find(text) != std::string::npos; };
      if (std::ranges::any_of(datagrams_, holds)) return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
  return false;
}

std::vector<std::string> Lure::addresses() {
  std::vector<std::string> found;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return found;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner{all, &::freeifaddrs};
  for (const auto* one = all; one != nullptr; one = one->ifa_next) {
    const bool ipv4 = one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET;
    if (!ipv4 || (one->ifa_flags & IFF_LOOPBACK) != 0 || (one->ifa_flags & IFF_UP) == 0) continue;
    char text[INET_ADDRSTRLEN];
    const auto* address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    if (::inet_ntop(AF_INET, &address->sin_addr, text, sizeof(text)) != nullptr) found.emplace_back(text);
  }
  return found;
}

}  // namespace berth::holder::boxes::conformance
